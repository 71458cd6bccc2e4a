/** Inflates an archive entry in parts of bounded size. */

import { pipeline, Readable } from 'node:stream';
import { constants, createInflateRaw, inflateRawSync } from 'node:zlib';
import { isZlibError } from '#shared/engine/zlib-error.ts';
import type { Allowance } from './allowance.ts';
import { RefusedArchive } from './refusal.ts';
import type { ZipEntry } from './zip-entries.ts';

const STORED = 0;
const DEFLATED = 8;
const PART_BYTES = 64 * 1024;

export async function* decompressEntry(
  entry: Omit<ZipEntry, 'claimedSize'>,
  allowance: Allowance,
): AsyncGenerator<Buffer, void> {
  if (entry.encrypted) throw new RefusedArchive('encrypted', 'The events are encrypted');
  if (entry.method !== STORED && entry.method !== DEFLATED)
    throw new RefusedArchive('unknownMethod', `The events use the unsupported compression method ${entry.method}`);
  if (entry.method === DEFLATED) return yield* decompressDeflated(entry.bytes, allowance);
  for await (const part of entry.bytes) {
    allowance.inflate(part.length, part.length);
    yield part;
  }
}

/**
 * Inflates a small entry in one step. A stream takes ten times as long, and archives may have many small files. Throws a
 * `RangeError` if the entry inflates to more than `most` bytes.
 */
export function inflateAtOnce(compressedBytes: Buffer, most: number, allowance: Allowance): Buffer {
  const chunkSize = Math.max(constants.Z_MIN_CHUNK, most);
  try {
    const bytes = inflateRawSync(compressedBytes, { chunkSize, maxOutputLength: Math.max(1, most) });
    allowance.inflate(bytes.length, compressedBytes.length);
    return bytes;
  } catch (error) {
    throw isZlibError(error) ? new RefusedArchive('damaged', 'The compressed bytes are damaged') : error;
  }
}

/** Refuses decompression bombs. Does not close the file that contains the compressed bytes. */
async function* decompressDeflated(
  compressedBytes: AsyncIterable<Buffer>,
  allowance: Allowance,
): AsyncGenerator<Buffer, void> {
  const stream = createInflateRaw({ chunkSize: PART_BYTES });
  // Errors of both streams are thrown in the loop below, so the callback can ignore them.
  pipeline(Readable.from(compressedBytes, { objectMode: false }), stream, () => {});
  let read = 0;
  try {
    for await (const part of stream) {
      allowance.inflate(part.length, stream.bytesWritten - read);
      read = stream.bytesWritten;
      yield part;
    }
  } catch (error) {
    throw isZlibError(error) ? new RefusedArchive('damaged', 'The compressed events are damaged') : error;
  }
}
