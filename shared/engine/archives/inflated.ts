/** Inflates an archive entry in parts of bounded size. */
import { pipeline, Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import type { Allowance } from './allowance.ts';
import { ARCHIVE_LIMITS } from './limits.ts';
import { Refusal } from './refusal.ts';
import type { Entry } from './zip-entries.ts';

const STORED = 0;
const DEFLATED = 8;
const PART_BYTES = 64 * 1024;

const { inflation } = ARCHIVE_LIMITS;

export async function* inflated(entry: Omit<Entry, 'claimedSize'>, allowance: Allowance): AsyncGenerator<Buffer, void> {
  if (entry.encrypted) throw new Refusal('encrypted', 'The events are encrypted');
  if (entry.method !== STORED && entry.method !== DEFLATED)
    throw new Refusal('unknownMethod', `The events are compressed by method ${entry.method}`);
  for await (const part of entry.method === STORED ? entry.bytes : inflate(entry.bytes)) {
    allowance.inflate(part.length);
    yield part;
  }
}

/** Refuses decompression bombs. The caller closes the source, so this function does not destroy it. */
async function* inflate(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const stream = createInflateRaw({ chunkSize: PART_BYTES });
  // The loop below receives the errors of both streams.
  pipeline(Readable.from(compressed, { objectMode: false }), stream, () => {});
  let made = 0;
  try {
    for await (const part of stream) {
      made += part.length;
      if (made > inflation.fromBytes && made > stream.bytesWritten * inflation.times)
        throw new Refusal('inflatesTooFar', `The events have more than ${inflation.times} times their compressed size`);
      yield part;
    }
  } catch (error) {
    throw isZlibError(error) ? new Refusal('damaged', 'The events do not inflate') : error;
  }
}

const isZlibError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_');
