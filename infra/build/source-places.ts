/** Finds the places in source files for places in bundles. */
import type { SourceMap } from 'node:module';
import { join, relative, resolve } from 'node:path';

const PROJECT = join(import.meta.dirname, '../..');

/**
 * The place as people write it, such as `shared/lifecycle/find-run.ts:31:9`. Line and column of the bundle count from
 * 1, as in stacks. `folder` is the folder of the bundle. `undefined` for code that comes from no file.
 */
export function findSourcePlace(
  map: SourceMap,
  folder: string,
  { line, column }: { readonly line: number; readonly column: number },
): string | undefined {
  const entry = map.findEntry(line - 1, column - 1);
  if (!('originalSource' in entry)) return undefined;
  const source = relative(PROJECT, resolve(folder, entry.originalSource));
  return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

/**
 * Replaces places in bundles such as `/var/task/index.js:2:27846` by what `find` returns for them. Leaves those for which
 * it returns `undefined`. `name` is the name of the bundles' files.
 */
export function replacePlaces(
  text: string,
  name: string,
  find: (file: string, place: { readonly line: number; readonly column: number }) => string | undefined,
): string {
  return text.replaceAll(/[^\s()"\\]+/g, (word) => {
    const [file = '', line, column, ...rest] = word.split(':');
    if (!file.endsWith(`/${name}`) || column === undefined || rest.length > 0) return word;
    return find(file, { line: Number(line), column: Number(column) }) ?? word;
  });
}
