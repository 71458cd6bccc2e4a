/** The bytes of an entry as they were before they were compressed, in parts of bounded size. */
import { Inflate } from 'fflate/browser';
import { LIMITS } from '../limits.ts';
import type { Allowance } from './allowance.ts';
import { Refusal } from './refusal.ts';
import type { Entry } from './zip-entries.ts';

const STORED = 0;
const DEFLATED = 8;

/**
 * Deflate makes up to 1,032 bytes of one, and fflate makes all of a push before anybody can look: a push that made much is
 * followed by a smaller one. For each it also allocates some 200 KB, so that small ones throughout would cost more.
 */
const PUSH_BYTES = { least: 128, most: 16 * 1024 };
const MUCH_BYTES = 256 * 1024;

const { inflation } = LIMITS.trace;

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
  const push = inflater();
  let most = PUSH_BYTES.least;
  // fflate sees an early end only with bytes in the last push, so one push is always behind.
  let behind: Uint8Array = Buffer.alloc(0);
  for await (const bytes of compressed) {
    for (let at = 0; at < bytes.length; at += behind.length) {
      const part = push(behind, false);
      most = part.length > MUCH_BYTES ? Math.max(most / 2, PUSH_BYTES.least) : Math.min(most * 2, PUSH_BYTES.most);
      behind = bytes.subarray(at, at + most);
      yield part;
    }
  }
  yield push(behind, true);
}

/** Inflates the next bytes of one stream, and refuses what is no text of events. */
function inflater(): (bytes: Uint8Array, final: boolean) => Buffer {
  let part: Buffer = Buffer.alloc(0);
  let taken = 0;
  let made = 0;
  const stream = new Inflate(({ buffer, byteOffset, length }) => {
    part = Buffer.from(buffer, byteOffset, length);
  });
  return (bytes, final) => {
    try {
      stream.push(bytes, final);
    } catch {
      throw new Refusal('damaged', 'Its events do not inflate');
    }
    taken += bytes.length;
    made += part.length;
    if (made > inflation.fromBytes && made > taken * inflation.times)
      throw new Refusal('inflatesTooFar', `Its events have more than ${inflation.times} times their compressed size`);
    return part;
  };
}
