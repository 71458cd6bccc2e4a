/** The dialect for JUnit files of unknown writers, and helpers for the other dialects. */
import { specPath } from '#shared/reports/paths.ts';
import type { Dialect, DialectContext } from './dialect.ts';
import { foundTest } from './found-row.ts';
import { type JunitRow, junitAttribute } from './row.ts';

/**
 * Returns the spec file of a test. Reads it from the attributes of the testcase element, or else from the nearest
 * enclosing suite that names a file.
 */
export function fileOf(row: JunitRow, { root }: DialectContext): string | undefined {
  const own = junitAttribute(row, 'file') || junitAttribute(row, 'filepath');
  if (own) return specPath(own, root);
  for (let suite = row.suite; suite; suite = suite.parent) {
    const file = suite.attributes.get('file') || suite.attributes.get('filepath');
    if (file) return specPath(file, root);
  }
  return undefined;
}

export const rowClassOf = (row: JunitRow): string => junitAttribute(row, 'classname');
export const rowNameOf = (row: JunitRow): string => junitAttribute(row, 'name');

export const GENERIC: Dialect = {
  name: 'generic',
  framework: 'junit',
  sameName: 'numbered',
  matches: () => true,
  read: (row, context) =>
    foundTest(row, context, {
      spec: fileOf(row, context) || specPath(rowClassOf(row) || row.suite?.name || '', context.root),
      title: [rowNameOf(row)],
    }),
};
