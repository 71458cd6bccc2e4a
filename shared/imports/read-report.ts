/** Reads and parses a report in a request or in the bucket. */
import { createHash } from 'node:crypto';
import { ApiError } from '#shared/engine/errors.ts';
import type { ImportOptions } from '#shared/model/runs/import.ts';
import { REPORT_FORMATS } from '#shared/model/runs/report-format.ts';
import { type ByteSource, inMemory } from '#shared/reports/byte-source.ts';
import { DEFAULT_GROUP } from '#shared/reports/paths.ts';
import { parseReports } from '#shared/reports/reading/parse-reports.ts';
import type { ReadingLimits } from '#shared/reports/reading-budget.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import type { Services } from '#shared/services.ts';
import { IMPORT_LIMITS } from './limits.ts';

const TOO_LARGE = 413;

/**
 * Parses the report files. Throws 413 for a report that exceeds the limits in `most`. The default limits are those of
 * the worker that processes the queue.
 */
export async function parseImport(
  source: ByteSource,
  options: ImportOptions,
  { now, most }: { readonly now: number; readonly most?: ReadingLimits },
): Promise<ParsedFile[]> {
  const { name, root, timezone, group = DEFAULT_GROUP } = options;
  const format = REPORT_FORMATS.find((known) => known === options.format);
  return parseReports(source, { name, format, root, timezone, group, now, most });
}

interface SentFile {
  readonly file: Uint8Array;
  readonly options: ImportOptions;
}

/**
 * Returns `undefined` if the report needs more time or memory than a request has. In that case, the worker that
 * processes the queue determines whether the file is a report at all.
 */
export async function parseIfSmall(
  { now }: Pick<Services, 'now'>,
  { file, options }: SentFile,
): Promise<ParsedFile[] | undefined> {
  if (!isSmall(file)) return undefined;
  try {
    return await parseImport(inMemory(file), options, { now: now(), most: IMPORT_LIMITS.small });
  } catch (error) {
    if (error instanceof ApiError && error.statusCode === TOO_LARGE) return undefined;
    throw error;
  }
}

/** For gzip, the trailer gives the decompressed size. */
function isSmall(file: Uint8Array): boolean {
  if (startsWith(file, [0x1f, 0x8b])) return inflatedBytes(file) <= IMPORT_LIMITS.small.bytes;
  return startsWith(file, [0x50, 0x4b])
    ? file.length <= IMPORT_LIMITS.smallZipBytes
    : file.length <= IMPORT_LIMITS.small.bytes;
}

const startsWith = (file: Uint8Array, bytes: readonly number[]): boolean =>
  bytes.every((byte, index) => file[index] === byte);

const TRAILER_BYTES = 4;

const inflatedBytes = (file: Uint8Array): number =>
  file.length < TRAILER_BYTES
    ? 0
    : new DataView(file.buffer, file.byteOffset, file.length).getUint32(file.length - TRAILER_BYTES, true);

export const contentHash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/**
 * The bytes of a report in the bucket. Throws if the file disappears while it is being read. The queue then delivers
 * the message about the file again.
 */
export const storedSource = ({ artifacts }: Pick<Services, 'artifacts'>, key: string, size: number): ByteSource => {
  const gone = () => new Error(`The report ${key} disappeared while it was being read`);
  return {
    size,
    read: async (start, end) => {
      const bytes = await artifacts.range(key, start, end);
      if (!bytes) throw gone();
      return bytes;
    },
    stream: async function* () {
      const stream = await artifacts.open(key);
      if (!stream) throw gone();
      yield* stream;
    },
  };
};
