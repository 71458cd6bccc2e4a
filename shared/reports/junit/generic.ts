/** The dialect for JUnit files of unknown writers, and a helper for the other dialects. */
import { specPath } from '#shared/reports/paths.ts';
import type { Dialect } from './dialect.ts';
import { type JunitRow, suitesOf } from './row.ts';

/**
 * Returns the spec file of a test. Reads it from the attributes of the testcase element, or else from the nearest
 * enclosing suite that names a file.
 */
export function fileOf(row: JunitRow, root: string | undefined): string | undefined {
  for (const { attributes } of [row, ...suitesOf(row).reverse()]) {
    const file = attributes.get('file') || attributes.get('filepath');
    if (file) return specPath(file, root);
  }
  return undefined;
}

export const GENERIC: Dialect = {
  name: 'generic',
  framework: 'junit',
  matches: () => true,
  place: (row, root) => ({
    spec: fileOf(row, root) || specPath(row.classname || row.suite?.name || '', root),
    title: [row.name],
  }),
};
