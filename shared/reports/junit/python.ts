/** pytest, unittest-xml-reporting, behave and Robot Framework. */
import type { FoundTest } from '#shared/reports/found.ts';
import { specPath } from '#shared/reports/paths.ts';
import { joinTries } from '#shared/reports/pytest-tries.ts';
import type { Context, Dialect } from './dialect.ts';
import { type Ending, foundTest, plainEnding } from './found-row.ts';
import { classOf, fileOf, nameOf } from './generic.ts';
import { attributeOf, type Row, skipOf } from './row.ts';

const CLASS = /^[A-Z]/;

/** `pkg.test_cart.TestCart` is the class `TestCart` of `pkg/test_cart.py`. Both families of pytest then agree. */
function moduleOf(classname: string): { readonly spec: string; readonly classes: readonly string[] } | undefined {
  const parts = classname.split('.');
  const first = parts.findIndex((part) => CLASS.test(part));
  const folders = first < 0 ? parts : parts.slice(0, first);
  if (folders.length === 0 || folders.join('') === '') return undefined;
  return { spec: `${folders.join('/')}.py`, classes: first < 0 ? [] : parts.slice(first) };
}

const placeOf = (row: Row, context: Context) => {
  const found = moduleOf(classOf(row));
  if (found) return { spec: found.spec, title: [...found.classes, nameOf(row)] };
  return { spec: fileOf(row, context) ?? specPath(classOf(row), context.root), title: [classOf(row), nameOf(row)] };
};

/** The row of a module that cannot be imported names only the module. */
const collectionError = (module: string, row: Row, context: Context) => ({
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
    const place = classOf(row) === '' ? collectionError(nameOf(row), row, context) : placeOf(row, context);
    return foundTest(row, context, { ...place, ending: endingOf(row, 'pytest.xfail') });
  },
  join: joinTries,
};

const endingOf = (row: Row, expected: string): Ending =>
  skipOf(row)?.type === expected ? 'expected failure' : plainEnding(row);

/** The suite names contain the time, so they are no part of a name. */
const XMLRUNNER: Dialect = {
  name: 'xmlrunner',
  framework: 'unittest',
  sameName: 'numbered',
  matches: ({ suites }) => suites.length > 0 && suites.every(({ name }) => /-\d{14}$/.test(name)),
  read: (row, context) => {
    const ending = endingOf(row, 'XFAIL');
    if (classOf(row) === '') return foundTest(row, context, { ...ownerOf(row, context), ending });
    if (classOf(row).endsWith('._FailedTest'))
      return foundTest(row, context, collectionError(nameOf(row), row, context));
    return foundTest(row, context, { ...placeOf(row, context), ending });
  },
};

/** A failed fixture of a class names its class: `setUpClass (test_cart.SetupTest)`. */
function ownerOf(row: Row, context: Context) {
  const [, owner = ''] = /\(([\w.]+)\)$/.exec(nameOf(row)) ?? [];
  return { spec: moduleOf(owner)?.spec ?? fileOf(row, context) ?? nameOf(row), title: [nameOf(row)] };
}

const BEHAVE: Dialect = {
  name: 'behave',
  framework: 'behave',
  sameName: 'numbered',
  matches: ({ roots, rows }) =>
    roots.every(({ element }) => element === 'testsuite') &&
    rows.length > 0 &&
    rows.every((row) => attributeOf(row, 'status') !== ''),
  read: (row, context): FoundTest | undefined => {
    const [spec = '', ...feature] = classOf(row).split('.');
    return foundTest(row, context, { spec, title: [feature.join('.'), nameOf(row)] });
  },
};

const ROBOT: Dialect = {
  name: 'robot',
  framework: 'robot',
  sameName: 'numbered',
  matches: ({ roots, suites, rows }) =>
    roots.some(({ element }) => element === 'testsuite') &&
    suites.some(({ parent }) => parent !== null) &&
    rows.some((row) => classOf(row) !== ''),
  read: (row, context) => foundTest(row, context, { spec: classOf(row), title: [nameOf(row)] }),
};

export const PYTHON = { PYTEST, XMLRUNNER, BEHAVE, ROBOT } as const;
