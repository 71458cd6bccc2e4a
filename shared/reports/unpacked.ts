/** Opens a file: decompresses gzip within limits, and peeks at the first bytes. */
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { unreadableReport } from './errors.ts';
import type { ReadingBudget } from './reading-budget.ts';

const PART_BYTES = 64 * 1024;
export const BEGINNING_BYTES = 64 * 1024;

interface OpenedFile {
  readonly beginning: Uint8Array;
  /** All bytes, including the first ones. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

interface Opening {
  readonly name: string;
  readonly reading: ReadingBudget;
  /** Called if the compressed file is truncated. */
  readonly onCut: () => void;
}

export async function openReportFile(stream: AsyncIterable<Uint8Array>, opening: Opening): Promise<OpenedFile> {
  const file = await peekBeginning(stream);
  const [first, second] = file.beginning;
  const isGzip = first === 0x1f && second === 0x8b;
  const { beginning, bytes } = isGzip ? await peekBeginning(decompressGzip(file.bytes, opening)) : file;
  return { beginning, bytes: limitStream(bytes, opening) };
}

async function peekBeginning(stream: AsyncIterable<Uint8Array>): Promise<OpenedFile> {
  const parts = stream[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  for (let size = 0; size < BEGINNING_BYTES; ) {
    const next = await parts.next();
    if (next.done) break;
    first.push(next.value);
    size += next.value.length;
  }
  const beginning = Buffer.concat(first);
  return { beginning: beginning.subarray(0, BEGINNING_BYTES), bytes: joinParts(beginning, parts) };
}

async function* joinParts(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

async function* limitStream(stream: AsyncIterable<Uint8Array>, opening: Opening): AsyncGenerator<Uint8Array, void> {
  for await (const part of stream) {
    opening.reading.take(part.length, opening.name);
    yield part;
  }
}

const getErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

async function* decompressGzip(
  bytes: AsyncIterable<Uint8Array>,
  { name, reading, onCut }: Opening,
): AsyncGenerator<Buffer, void> {
  const stream = createGunzip({ chunkSize: PART_BYTES });
  // The callback can ignore errors, because the loop below receives the errors of both streams.
  pipeline(Readable.from(bytes, { objectMode: false }), stream, () => {});
  let read = 0;
  try {
    for await (const part of stream) {
      reading.inflate({ read: stream.bytesWritten - read, made: part.length }, name);
      read = stream.bytesWritten;
      yield part;
    }
  } catch (error) {
    if (!getErrorCode(error).startsWith('Z_')) throw error;
    if (getErrorCode(error) !== 'Z_BUF_ERROR') throw unreadableReport(name, 'cannot be decompressed');
    onCut();
  }
}
