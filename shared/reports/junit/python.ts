/** The JUnit dialects of pytest, unittest-xml-reporting, behave and Robot Framework. */
import { specPath } from '#shared/reports/paths.ts';
import { joinTries } from '#shared/reports/pytest-tries.ts';
import type { Dialect, JunitEnding, JunitPlace } from './dialect.ts';
import { plainEnding } from './found-row.ts';
import { fileOf } from './generic.ts';
import { type JunitRow, junitAttribute, skipOf } from './row.ts';

const CLASS = /^[A-Z]/;

/**
 * Finds the file and the class in a class name: `pkg.test_cart.TestCart` is the class `TestCart` of `pkg/test_cart.py`.
 * Both JUnit formats of pytest (`xunit1` and `xunit2`) thus result in the same names.
 */
function moduleOf(classname: string): { readonly spec: string; readonly classes: readonly string[] } | undefined {
  const parts = classname.split('.');
  const first = parts.findIndex((part) => CLASS.test(part));
  const folders = first < 0 ? parts : parts.slice(0, first);
  if (folders.length === 0 || folders.join('') === '') return undefined;
  return { spec: `${folders.join('/')}.py`, classes: first < 0 ? [] : parts.slice(first) };
}

const placeOf = (row: JunitRow, root: string | undefined) => {
  const found = moduleOf(row.classname);
  if (found) return { spec: found.spec, title: [...found.classes, row.name] };
  return {
    spec: fileOf(row, root) ?? specPath(row.classname, root),
    title: [row.classname, row.name],
  };
};

/**
 * A row without a class name is a module that cannot be imported, or a test outside the root folder. Such rows never
 * become attempts of one test: different files may have tests of the same name, and a failure must not look repeated.
 */
function unclassified(row: JunitRow, root: string | undefined): JunitPlace {
  const file = fileOf(row, root);
  const hasError = row.problems.some(({ kind }) => kind === 'error');
  const isModule = file === undefined || file === moduleOf(row.name)?.spec;
  if (hasError && isModule) return { ...collectionError(row.name, row, root), sameName: 'numbered' };
  return { spec: file ?? row.suite?.name ?? '', title: [row.name], sameName: 'numbered' };
}

/** The row of a module that cannot be imported names only the module. */
const collectionError = (module: string, row: JunitRow, root: string | undefined) => ({
  spec: moduleOf(module)?.spec ?? fileOf(row, root) ?? module,
  title: ['(collection)'],
});

export const PYTEST: Dialect = {
  name: 'pytest',
  sameName: 'attempts',
  matches: ({ roots, suites }) =>
    roots.some(({ attributes }) => attributes.get('name')?.startsWith('pytest')) ||
    suites.some(({ name }) => name === 'pytest'),
  place: (row, root) => {
    const place = row.classname === '' ? unclassified(row, root) : placeOf(row, root);
    return { ...place, ending: endingOf(row, 'pytest.xfail') };
  },
  join: joinTries,
};

const endingOf = (row: JunitRow, expected: string): JunitEnding =>
  skipOf(row)?.type === expected ? 'expected failure' : plainEnding(row);

/** unittest-xml-reporting writes the time into suite names, so titles leave these names out. */
export const XMLRUNNER: Dialect = {
  name: 'xmlrunner',
  framework: 'unittest',
  matches: ({ suites }) => suites.length > 0 && suites.every(({ name }) => /-\d{14}$/.test(name)),
  place: (row, root) => {
    const ending = endingOf(row, 'XFAIL');
    if (row.classname === '') return { ...ownerOf(row, root), ending };
    if (row.classname.endsWith('._FailedTest')) return collectionError(row.name, row, root);
    return { ...placeOf(row, root), ending };
  },
};

/**
 * The spec file and title of a failed class fixture, whose name contains the class: `setUpClass (test_cart.SetupTest)`.
 */
function ownerOf(row: JunitRow, root: string | undefined) {
  const [, owner = ''] = /\(([\w.]+)\)$/.exec(row.name) ?? [];
  return { spec: moduleOf(owner)?.spec ?? fileOf(row, root) ?? row.name, title: [row.name] };
}

export const BEHAVE: Dialect = {
  name: 'behave',
  matches: ({ roots, rows }) =>
    roots.every(({ element }) => element === 'testsuite') &&
    rows.length > 0 &&
    rows.every((row) => junitAttribute(row, 'status') !== ''),
  place: (row) => {
    const [spec = '', ...feature] = row.classname.split('.');
    return { spec, title: [feature.join('.'), row.name] };
  },
};

export const ROBOT: Dialect = {
  name: 'robot',
  matches: ({ roots, suites, rows }) =>
    roots.some(({ element }) => element === 'testsuite') &&
    suites.some(({ parent }) => parent !== null) &&
    rows.some((row) => row.classname !== ''),
  place: (row) => ({ spec: row.classname, title: [row.name] }),
};
