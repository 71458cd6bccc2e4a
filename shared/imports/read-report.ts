/** Reads and parses a report in a request or in the bucket. */
import { hash } from 'node:crypto';
import { ApiError } from '#shared/engine/errors.ts';
import type { ImportOptions } from '#shared/model/runs/import.ts';
import { REPORT_FORMATS } from '#shared/model/runs/report-format.ts';
import { type ByteSource, makeMemorySource } from '#shared/reports/byte-source.ts';
import { prefixGroup } from '#shared/reports/group-name.ts';
import { DEFAULT_GROUP } from '#shared/reports/paths.ts';
import { parseReports } from '#shared/reports/reading/parse-reports.ts';
import type { ReadingLimits } from '#shared/reports/reading-budget.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import type { Services } from '#shared/services.ts';
import { IMPORT_LIMITS } from './limits.ts';

const TOO_LARGE = 413;

/** Throws 413 for a report that exceeds `most`. The default limits are those of the worker that reads the queue. */
export async function parseImport(
  source: ByteSource,
  options: ImportOptions,
  { now, most }: { readonly now: number; readonly most?: ReadingLimits },
): Promise<ParsedFile[]> {
  const { name, root, timezone, group: option } = options;
  const group = option ?? DEFAULT_GROUP;
  const format = REPORT_FORMATS.find((candidate) => candidate === options.format);
  const parsedFiles = await parseReports(source, { name, format, root, timezone, group, now, most });
  return option === undefined ? parsedFiles : parsedFiles.map((file) => applyGroup(option, file));
}

/** Groups that the report names, such as the projects of Playwright, keep their names behind that of the option. */
const applyGroup = (option: string, file: ParsedFile): ParsedFile => ({
  ...file,
  instances: file.instances.map((one) => ({ ...one, groupId: prefixGroup(option, one.groupId) })),
  files: file.files.map((one) => ({ ...one, groupId: prefixGroup(option, one.groupId) })),
});

/** `undefined` if a request lacks the time or memory. The worker then finds out whether it is a report at all. */
export async function parseIfSmall(
  { now }: Pick<Services, 'now'>,
  { file, options }: { readonly file: Uint8Array; readonly options: ImportOptions },
): Promise<ParsedFile[] | undefined> {
  if (!isSmall(file)) return undefined;
  try {
    return await parseImport(makeMemorySource(file), options, { now: now(), most: IMPORT_LIMITS.small });
  } catch (error) {
    if (error instanceof ApiError && error.statusCode === TOO_LARGE) return undefined;
    throw error;
  }
}

/** For gzip, the trailer gives the decompressed size. */
function isSmall(file: Uint8Array): boolean {
  const [first, second] = file;
  if (first === 0x1f && second === 0x8b) return readInflatedSize(file) <= IMPORT_LIMITS.small.bytes;
  const isZip = first === 0x50 && second === 0x4b;
  return file.length <= (isZip ? IMPORT_LIMITS.smallZipBytes : IMPORT_LIMITS.small.bytes);
}

const TRAILER_BYTES = 4;

const readInflatedSize = (file: Uint8Array): number =>
  file.length < TRAILER_BYTES
    ? 0
    : new DataView(file.buffer, file.byteOffset, file.length).getUint32(file.length - TRAILER_BYTES, true);

export const hashContent = (bytes: Uint8Array): string => hash('sha256', bytes);

/** Throws if the file disappears while it is being read. The queue then delivers the message about it again. */
export const makeStoredSource = ({ artifacts }: Pick<Services, 'artifacts'>, key: string, size: number): ByteSource => {
  const throwDisappeared = (): never => {
    throw new Error(`The report ${key} disappeared while it was being read`);
  };
  return {
    size,
    read: async (start, end) => (await artifacts.range(key, start, end)) ?? throwDisappeared(),
    stream: async function* () {
      yield* (await artifacts.open(key)) ?? throwDisappeared();
    },
  };
};
