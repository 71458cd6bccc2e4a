/** Decides which report files are sent together, and reads them. */
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { buildZip } from '#shared/engine/archives/stored-zip.ts';
import { isFolder, listFolder } from './report-places.ts';

/** What one request sends: a file as it is, or several files as one archive. */
export interface ReportPart {
  /** The path of the file or folder. */
  readonly path: string;
  /** The names of the files in the folder. Absent for a file that is sent as it is. */
  readonly names?: readonly string[];
}

/** Surefire, Gradle and Ant write one file per class, and the tries of a test may be in several of them. */
const isFileOfClass = (path: string): boolean => /^TEST-.*\.xml$/.test(basename(path));

/** Joins the files of a folder into one part, and the files of classes, because the tries of a test may be in several. */
export async function joinReports(paths: readonly string[]): Promise<ReportPart[]> {
  const namesOfClasses = new Map<string, string[]>();
  for (const path of paths.filter(isFileOfClass)) {
    const names = namesOfClasses.get(dirname(path)) ?? [];
    names.push(basename(path));
    namesOfClasses.set(dirname(path), names);
  }
  const parts: ReportPart[] = [];
  for (const path of paths) {
    const names = (isFileOfClass(path) && namesOfClasses.get(dirname(path))) || [];
    if (isFolder(path)) parts.push({ path, names: await listFolder(path) });
    else if (names.length < 2) parts.push({ path });
    // The first of them stands for all files of classes in the folder.
    else if (names[0] === basename(path)) parts.push({ path: dirname(path), names });
  }
  return parts;
}

/** The bytes of a file, or several files as one archive, without compression. */
export async function readReportPart({ path, names }: ReportPart): Promise<Uint8Array> {
  if (names === undefined) return readFile(path);
  const files = await Promise.all(
    names.map(async (name) => ({ name: name.replaceAll(sep, '/'), bytes: await readFile(join(path, name)) })),
  );
  return buildZip(files);
}
