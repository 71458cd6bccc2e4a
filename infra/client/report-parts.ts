/** Decides which report files are sent together, and reads them. */
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { buildZip } from '#shared/engine/archives/stored-zip.ts';
import { isFolder, isInside, listFiles, listFolder } from './report-places.ts';

/** What one request sends: a file as it is, or several files as one archive. */
export interface ReportPart {
  /** The path of the file or folder. */
  readonly path: string;
  /** The names of the files in the folder. Absent for a file that is sent as it is. */
  readonly names?: readonly string[];
}

/** Of files whose tests may have tries in each other. */
type Kind = 'folder' | 'results of Allure' | 'files of classes' | 'trx files' | 'file';

/** Surefire, Gradle and Ant write one file per class, and one more for each rerun. */
const isFileOfClass = (path: string): boolean => /^TEST-.*\.xml$/.test(basename(path));
/** Each test platform of .NET writes one file per project, target framework and try. */
const isTrx = (path: string): boolean => /\.trx$/i.test(path);
/** Allure writes one file for each try of a test, and others for its hooks and attachments. */
const isAllureResult = (path: string): boolean =>
  /[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}-result\.json$/i.test(path);
const ALLURE_FILES = ['*-{result,container,globals}.json', '*-attachment*'];

/** Joins the files of a folder into one part, and files that may have tries of the same tests. */
export async function joinReports(paths: readonly string[]): Promise<ReportPart[]> {
  const allureFolders = new Set(paths.filter(isAllureResult).map((path) => dirname(path)));
  const findKind = (path: string): Kind => {
    if (isFolder(path)) return 'folder';
    if (allureFolders.has(dirname(path))) return 'results of Allure';
    if (isFileOfClass(path)) return 'files of classes';
    return isTrx(path) ? 'trx files' : 'file';
  };
  // The client also runs with Node 20, which has no `Map.groupBy`.
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const kind = findKind(path);
    const key = JSON.stringify([kind, findPartFolder(kind, path)]);
    groups.set(key, [...(groups.get(key) ?? []), path]);
  }
  return Promise.all(
    [...groups.values()].map(async ([path = '', ...others]): Promise<ReportPart> => {
      const kind = findKind(path);
      const folder = findPartFolder(kind, path);
      if (kind === 'folder') return { path, names: await listFolder(path) };
      const names = new Set([path, ...others].map((member) => relative(folder, member)));
      if (kind === 'results of Allure') for (const name of await listFiles(folder, ALLURE_FILES)) names.add(name);
      return names.size === 1 ? { path } : { path: folder, names: [...names].sort() };
    }),
  );
}

/** The folder of the part with this file. A file that is sent as it is has a part of its own. */
function findPartFolder(kind: Kind, path: string): string {
  if (kind === 'folder' || kind === 'file') return path;
  // The projects of a solution are in different folders, and so are the tries of their tests.
  return kind === 'trx files' && isInside(path, process.cwd()) ? process.cwd() : dirname(path);
}

/** The name of the file that is sent. The path of a folder may be `.`. */
export const getSentName = ({ path, names }: ReportPart): string =>
  names ? `${basename(resolve(path))}.zip` : basename(path);

/** The bytes of a file, or several files as one archive, without compression. */
export async function readReportPart({ path, names }: ReportPart): Promise<Uint8Array> {
  if (names === undefined) return readFile(path);
  const files = await Promise.all(
    names.map(async (name) => ({ name: name.replaceAll(sep, '/'), bytes: await readFile(join(path, name)) })),
  );
  return buildZip(files);
}
