/** The dialect for JUnit files of unknown writers, and a helper for the other dialects. */
import { toForwardSlashes, toSpecPath } from '#shared/reports/paths.ts';
import type { Dialect } from './dialect.ts';
import { type JunitRow, listSuites } from './row.ts';

/** From the attributes of the testcase element, or else from the nearest enclosing suite that names a file. */
export function findSpecFile(row: JunitRow, root: string | undefined): string | undefined {
  for (const { attributes } of [row, ...listSuites(row).reverse()]) {
    const file = attributes.get('file') || attributes.get('filepath');
    if (file) return toSpecPath(file, root);
  }
  return undefined;
}

/**
 * Two classes of a file may have tests of the same name, so the title has the class, unless it repeats file or name.
 * Nested suites replace a missing class. Other tests never matter, because a new test would then begin new histories.
 */
function buildFileTitle(row: JunitRow, file: string): string[] {
  const { classname, name } = row;
  if (classname === '') return [...listNestedSuites(row).filter((suite) => !isNameOfFile(suite, file)), name];
  return isNameOfFile(classname, file) || isInName(classname, name) ? [name] : [classname, name];
}

/** The names of the suites around a row, without the outermost suite, which is the file or the whole report. */
export const listNestedSuites = (row: JunitRow): string[] =>
  listSuites(row)
    .slice(1)
    .map(({ name }) => name);

/** Whether the name of a test is this class, begins with it or ends with it, as names that contain all describes do. */
export const isInName = (classname: string, name: string): boolean =>
  name === classname || name.startsWith(`${classname} `) || name.endsWith(` ${classname}`);

const EXTENSION = /(?<=[^/])\.[^./]+$/;
const TEST_AFFIX = /^test[._-]|[._-](?:test|spec)s?$/;

/** `tests.test_cart` and `CartTest` for `tests/test_cart.py`, `cart` for `src/cart_test.cpp`. */
function isNameOfFile(classname: string, file: string): boolean {
  const path = file.replace(EXTENSION, '');
  const stem = path.slice(path.lastIndexOf('/') + 1);
  const isEndOfPath = (text: string): boolean => [file, path].some((candidate) => `/${candidate}`.endsWith(`/${text}`));
  return (
    isEndOfPath(toForwardSlashes(classname)) ||
    isEndOfPath(classname.replaceAll(/::|[.\\]/g, '/')) ||
    classname === stem.replace(TEST_AFFIX, '') ||
    classname.toLowerCase() === stem.replaceAll(/[._-]/g, '').toLowerCase()
  );
}

export const GENERIC: Dialect = {
  name: 'generic',
  framework: 'junit',
  matches: () => true,
  place: (row, root) => {
    const file = findSpecFile(row, root);
    if (file) return { spec: file, title: buildFileTitle(row, file) };
    return { spec: toSpecPath(row.classname || row.suite?.name || '', root), title: [row.name] };
  },
};
