/** Compressed JSON, for large values that no filter reads. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';

export const pack = (value: unknown): Uint8Array => deflateRawSync(JSON.stringify(value));

/** Stored bytes that are damaged. Reading them again gives the same error. */
export class UnreadableBytes extends Error {}

/** The unpacked value has the packed shape, because the same file packs and unpacks. */
export function unpack<Shape>(bytes: Uint8Array): Shape {
  try {
    return JSON.parse(inflateRawSync(bytes).toString('utf8'));
  } catch (cause) {
    throw new UnreadableBytes('A packed value of the table cannot be unpacked', { cause });
  }
}
