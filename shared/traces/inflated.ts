/** The bytes of an entry as they were before they were compressed, in parts of bounded size. */
import { Inflate } from 'fflate/browser';
import type { Allowance } from './allowance.ts';
import { Refusal } from './refusal.ts';
import type { Entry } from './zip-entries.ts';

const STORED = 0;
const DEFLATED = 8;

/** Deflate makes at most 1,032 bytes of one: what is inflated before anybody can look is some two megabytes. */
const PUSH_BYTES = 1024;

export async function* inflated(entry: Entry, allowance: Allowance): AsyncGenerator<Buffer, void> {
  if (entry.encrypted) throw new Refusal('encrypted', 'Its events are encrypted');
  if (entry.method !== STORED && entry.method !== DEFLATED)
    throw new Refusal('unknownMethod', `Its events are compressed by method ${entry.method}`);
  for await (const part of entry.method === STORED ? entry.bytes : inflate(entry.bytes)) {
    allowance.inflate(part.length);
    yield part;
  }
}

async function* inflate(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let part: Buffer = Buffer.alloc(0);
  const stream = new Inflate(({ buffer, byteOffset, length }) => {
    part = Buffer.from(buffer, byteOffset, length);
  });
  const push = (bytes: Uint8Array, final: boolean): Buffer => {
    try {
      stream.push(bytes, final);
    } catch {
      throw new Refusal('damaged', 'Its events do not inflate');
    }
    return part;
  };
  // fflate sees an early end only with bytes in the last push, so one is always behind.
  let behind: Uint8Array = part;
  let n = 0;
  for await (const bytes of compressed) {
    for (let at = 0; at < bytes.length; at += PUSH_BYTES) {
      yield push(behind, false);
      if (++n % 8 === 0) await new Promise((r) => setImmediate(r));
      behind = bytes.subarray(at, at + PUSH_BYTES);
    }
  }
  yield push(behind, true);
}
