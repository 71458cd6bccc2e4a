/**
 * Decodes a file according to its byte order mark. If the file has no byte order mark, uses the encoding of its XML
 * declaration, or else UTF-8.
 */
import { TextDecoder } from 'node:util';

/** A byte order mark, or in UTF-16 without one, the zero byte beside `<` or `{`. */
const SIGNS: readonly (readonly [string, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
  ['utf-16le', [0x3c, 0x00]],
  ['utf-16be', [0x00, 0x3c]],
  ['utf-16le', [0x7b, 0x00]],
  ['utf-16be', [0x00, 0x7b]],
];

const DECLARED = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/;

export function chooseDecoder(beginning: Uint8Array): TextDecoder {
  const sign = SIGNS.find(([, start]) => start.every((byte, index) => beginning[index] === byte));
  if (sign) return new TextDecoder(sign[0]);
  const encoding = DECLARED.exec(Buffer.from(beginning.subarray(0, 400)).toString('latin1'))?.[1];
  // The declaration was readable as ASCII, so it is wrong if it says UTF-16.
  if (encoding === undefined || /^utf-?16/i.test(encoding)) return new TextDecoder();
  try {
    return new TextDecoder(encoding);
  } catch {
    return new TextDecoder();
  }
}

/** Yields the text of a file in parts. Damaged characters become U+FFFD. */
export async function* decodeText(
  bytes: AsyncIterable<Uint8Array>,
  beginning: Uint8Array,
): AsyncGenerator<string, void> {
  const decoder = chooseDecoder(beginning);
  for await (const part of bytes) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}
