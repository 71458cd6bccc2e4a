/** Finds the place in a source file for a place in a bundle. */
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
