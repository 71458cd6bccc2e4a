/** The dialect for JUnit files of unknown writers, and a helper for the other dialects. */
import { slashed, specPath } from '#shared/reports/paths.ts';
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

/**
 * The title of a test whose spec file is known. Two classes of a file may have tests of the same name, so the class is a
 * part of the title, unless it only repeats the file or the name. Nested suites replace a class that is missing.
 * This never depends on other tests, because a new test would then begin new histories.
 */
function titleInFile(row: JunitRow, file: string): string[] {
  const { classname, name } = row;
  if (classname === '') return [...nestedSuites(row).filter((suite) => !isNameOfFile(suite, file)), name];
  return isNameOfFile(classname, file) || isInName(classname, name) ? [name] : [classname, name];
}

/** The names of the suites around a row, without the outermost suite, which is the file or the whole report. */
export const nestedSuites = (row: JunitRow): string[] =>
  suitesOf(row)
    .slice(1)
    .map(({ name }) => name);

/** Whether the name of a test is this class, begins with it or ends with it, as names that contain all describes do. */
export const isInName = (classname: string, name: string): boolean =>
  name === classname || name.startsWith(`${classname} `) || name.endsWith(` ${classname}`);

const EXTENSION = /(?<=[^/])\.[^./]+$/;
const TEST_AFFIX = /^test[._-]|[._-](?:test|spec)s?$/;

/**
 * Whether a class only names the file: `tests.test_cart` and `CartTest` for `tests/test_cart.py`, `cart` for
 * `src/cart_test.cpp`.
 */
function isNameOfFile(classname: string, file: string): boolean {
  const path = file.replace(EXTENSION, '');
  const stem = path.slice(path.lastIndexOf('/') + 1);
  const isEndOfPath = (text: string): boolean => [file, path].some((whole) => `/${whole}`.endsWith(`/${text}`));
  return (
    isEndOfPath(slashed(classname)) ||
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
    const file = fileOf(row, root);
    if (file) return { spec: file, title: titleInFile(row, file) };
    return { spec: specPath(row.classname || row.suite?.name || '', root), title: [row.name] };
  },
};
