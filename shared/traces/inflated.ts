/** The bytes of an entry as they were before they were compressed, in parts of bounded size. */
import { Inflate } from 'fflate/browser';
import { LIMITS } from '../limits.ts';
import type { Allowance } from './allowance.ts';
import { Refusal } from './refusal.ts';
import type { Entry } from './zip-entries.ts';

const STORED = 0;
const DEFLATED = 8;

/** Deflate makes up to 1,032 bytes of one, and fflate makes all of a push before anybody can look: some four megabytes. */
const PUSH_BYTES = 4 * 1024;
const MOST_MADE_OF_ONE = 1032;
/** What fflate wants beyond: the 32 KB that later bytes may repeat, and room for what one step may add. */
const SPARE_BYTES = 160 * 1024;

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
  // fflate sees an early end only with bytes in the last push, so one push is always behind.
  let behind: Uint8Array = Buffer.alloc(0);
  for await (const bytes of compressed) {
    for (let at = 0; at < bytes.length; at += PUSH_BYTES) {
      yield push(behind, false);
      behind = bytes.subarray(at, at + PUSH_BYTES);
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
    lendRoom(stream);
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

/** Of all streams: each leaves it within one push, and takes copies along. */
const ROOM = new Uint8Array(PUSH_BYTES * MOST_MADE_OF_ONE + SPARE_BYTES);

/**
 * fflate inflates into its member `o`, which holds the last 32 KB, and allocates anew what is beyond: for each push 160 KB,
 * and up to 12 MB. That is garbage faster than V8 collects it. Given room it allocates nothing. Where another version names
 * the member otherwise, this does nothing, and `memory.test.ts` fails.
 */
function lendRoom(stream: Inflate): void {
  const last: unknown = Reflect.get(stream, 'o');
  if (!(last instanceof Uint8Array)) return;
  ROOM.set(last);
  Reflect.set(stream, 'o', ROOM);
}
