/** Reads the parts of an archive for an import, and copies the files of runs. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { FileLine, Part } from './archive-format.ts';
import { BadArchive, COPY_OR_EXPORT_AGAIN } from './bad-archive.ts';
import { readFiles, readRows } from './checked-archive.ts';
import { measureStream, toContentName } from './file-contents.ts';
import type { ImportContext, ImportProgress } from './import-context.ts';
import type { Row } from './table-scan.ts';

/** What an import does with the content of the parts. */
interface PartHandlers {
  readonly onRows: (rows: readonly Row[]) => Promise<void>;
  readonly onFile: (file: FileLine) => Promise<void>;
}

/** Passes rows and files on, reports the progress, and keeps the pace that the operator allows. */
export async function readParts(
  context: ImportContext,
  parts: readonly Part[],
  step: ImportProgress['step'],
  { onRows, onFile }: PartHandlers,
): Promise<void> {
  const { archive, services, pace, onProgress } = context;
  const { meter } = services.table;
  let rows = 0;
  let files = 0;
  const report = () => onProgress({ step, rows, files });
  for (const part of parts) {
    if (part.kind === 'files') {
      await readFiles(archive, part, context, async (lines) => {
        await mapConcurrently(lines, async (file) => {
          await onFile(file);
          files += 1;
          report();
        });
      });
      continue;
    }
    await readRows(archive, part, context, async (partRows) => {
      const before = meter.readUnits + meter.writeUnits;
      await onRows(partRows);
      rows += partRows.length;
      report();
      await pace.spend(meter.readUnits + meter.writeUnits - before);
    });
  }
}

/** The checksum of the content is known when all of it has been read. */
export async function openContent({ archive }: ImportContext, { key }: FileLine) {
  const content = await archive.open(toContentName(key));
  if (content) return measureStream(content);
  throw new BadArchive(`The file ${key} is missing from the archive. ${COPY_OR_EXPORT_AGAIN}`);
}

/** A file that does not match its checksum does not stay in the bucket. */
export async function storeFile(context: ImportContext, file: FileLine): Promise<void> {
  const { bucket } = context;
  const { key, bytes, type } = file;
  if ((await bucket.readSize(key)) === bytes) return;
  const { content, result } = await openContent(context, file);
  await bucket.store(key, { content, bytes, type });
  try {
    refuseChangedFile(file, result());
  } catch (error) {
    await bucket.remove(key);
    throw error;
  }
}

export function refuseChangedFile(
  { key, bytes, sha256 }: FileLine,
  measurement: { readonly bytes: number; readonly sha256: string },
) {
  if (measurement.bytes !== bytes || measurement.sha256 !== sha256)
    throw new BadArchive(`The file ${key} does not match its checksum. ${COPY_OR_EXPORT_AGAIN}`);
}
