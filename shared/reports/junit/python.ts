/** The JUnit dialects of pytest, unittest-xml-reporting, behave and Robot Framework. */
import type { FoundTest } from '#shared/reports/found.ts';
import { specPath } from '#shared/reports/paths.ts';
import { joinTries } from '#shared/reports/pytest-tries.ts';
import type { Dialect, DialectContext } from './dialect.ts';
import { foundTest, type JunitEnding, plainEnding } from './found-row.ts';
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

const placeOf = (row: JunitRow, context: DialectContext) => {
  const found = moduleOf(row.classname);
  if (found) return { spec: found.spec, title: [...found.classes, row.name] };
  return {
    spec: fileOf(row, context) ?? specPath(row.classname, context.root),
    title: [row.classname, row.name],
  };
};

/** The row of a module that cannot be imported names only the module. */
const collectionError = (module: string, row: JunitRow, context: DialectContext) => ({
  spec: moduleOf(module)?.spec ?? fileOf(row, context) ?? module,
  title: ['(collection)'],
});

const PYTEST: Dialect = {
  name: 'pytest',
  framework: 'pytest',
  sameName: 'attempts',
  matches: ({ roots, suites }) =>
    roots.some(({ attributes }) => attributes.get('name')?.startsWith('pytest')) ||
    suites.some(({ name }) => name === 'pytest'),
  read: (row, context) => {
    const place = row.classname === '' ? collectionError(row.name, row, context) : placeOf(row, context);
    return foundTest(row, context, { ...place, ending: endingOf(row, 'pytest.xfail') });
  },
  join: joinTries,
};

const endingOf = (row: JunitRow, expected: string): JunitEnding =>
  skipOf(row)?.type === expected ? 'expected failure' : plainEnding(row);

/** unittest-xml-reporting writes the time into suite names, so titles leave these names out. */
const XMLRUNNER: Dialect = {
  name: 'xmlrunner',
  framework: 'unittest',
  sameName: 'numbered',
  matches: ({ suites }) => suites.length > 0 && suites.every(({ name }) => /-\d{14}$/.test(name)),
  read: (row, context) => {
    const ending = endingOf(row, 'XFAIL');
    if (row.classname === '') return foundTest(row, context, { ...ownerOf(row, context), ending });
    if (row.classname.endsWith('._FailedTest')) return foundTest(row, context, collectionError(row.name, row, context));
    return foundTest(row, context, { ...placeOf(row, context), ending });
  },
};

/**
 * The spec file and title of a failed class fixture, whose name contains the class: `setUpClass (test_cart.SetupTest)`.
 */
function ownerOf(row: JunitRow, context: DialectContext) {
  const [, owner = ''] = /\(([\w.]+)\)$/.exec(row.name) ?? [];
  return { spec: moduleOf(owner)?.spec ?? fileOf(row, context) ?? row.name, title: [row.name] };
}

const BEHAVE: Dialect = {
  name: 'behave',
  framework: 'behave',
  sameName: 'numbered',
  matches: ({ roots, rows }) =>
    roots.every(({ element }) => element === 'testsuite') &&
    rows.length > 0 &&
    rows.every((row) => junitAttribute(row, 'status') !== ''),
  read: (row, context): FoundTest | undefined => {
    const [spec = '', ...feature] = row.classname.split('.');
    return foundTest(row, context, { spec, title: [feature.join('.'), row.name] });
  },
};

const ROBOT: Dialect = {
  name: 'robot',
  framework: 'robot',
  sameName: 'numbered',
  matches: ({ roots, suites, rows }) =>
    roots.some(({ element }) => element === 'testsuite') &&
    suites.some(({ parent }) => parent !== null) &&
    rows.some((row) => row.classname !== ''),
  read: (row, context) => foundTest(row, context, { spec: row.classname, title: [row.name] }),
};

export const PYTHON = { PYTEST, XMLRUNNER, BEHAVE, ROBOT } as const;
