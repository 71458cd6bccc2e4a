/** Files of unknown writers. */
import { specPath } from '#shared/reports/paths.ts';
import type { Context, Dialect } from './dialect.ts';
import { foundTest } from './found-row.ts';
import { attributeOf, type Row } from './row.ts';

/** The file of a row: its own, or that of the nearest suite with one. */
export function fileOf(row: Row, { root }: Context): string | undefined {
  const own = attributeOf(row, 'file') || attributeOf(row, 'filepath');
  if (own) return specPath(own, root);
  for (let suite = row.suite; suite; suite = suite.parent) {
    const file = suite.attributes.get('file') || suite.attributes.get('filepath');
    if (file) return specPath(file, root);
  }
  return undefined;
}

export const classOf = (row: Row): string => attributeOf(row, 'classname');
export const nameOf = (row: Row): string => attributeOf(row, 'name');

export const GENERIC: Dialect = {
  name: 'generic',
  framework: 'junit',
  sameName: 'numbered',
  matches: () => true,
  read: (row, context) =>
    foundTest(row, context, {
      spec: fileOf(row, context) || specPath(classOf(row) || row.suite?.name || '', context.root),
      title: [nameOf(row)],
    }),
};
