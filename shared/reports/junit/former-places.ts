/**
 * The spec files and titles that release 0.2.0 gave to tests of writers whose tests it named otherwise. Rules and issues
 * of these tests are found under the former names (`rules/renamed-tests.ts`).
 */
import { cleanHookTitle, toSpecPath } from '#shared/reports/paths.ts';
import type { Dialect, Sample } from './dialect.ts';
import { findSpecFile, GENERIC } from './generic.ts';
import { JEST, MOCHA_JUNIT, MOCHA_XUNIT, NODE_TEST, VITEST } from './javascript.ts';
import { GRADLE, SUREFIRE } from './jvm.ts';
import { BATS, CATCH2, CTEST, GOOGLETEST, GOTESTSUM, NEXTEST, PHPUNIT, RSPEC } from './native.ts';
import { PLAYWRIGHT_DIALECT } from './playwright.ts';
import { BEHAVE, PYTEST, ROBOT, XMLRUNNER } from './python.ts';
import { getJunitAttribute, type JunitRow } from './row.ts';

export type FormerDialect = Pick<Dialect, 'matches' | 'place' | 'sameName'>;

/** The dialect by which release 0.2.0 named the tests of a file. `undefined` if it gave them the same names. */
export function findFormerDialect(sample: Sample, dialect: Dialect): FormerDialect | undefined {
  const formerDialect = FORMER_DIALECTS.find(({ matches }) => matches(sample));
  return formerDialect?.place === dialect.place ? undefined : formerDialect;
}

const isSurefire = ({ attributes }: { readonly attributes: ReadonlyMap<string, string> }): boolean =>
  attributes.get('xsi:noNamespaceSchemaLocation')?.endsWith('surefire-test-report.xsd') === true;

const hasBareRoot = ({ roots }: Sample): boolean => roots.some(({ element }) => element === 'testsuite');

const FORMER_DIALECTS: readonly FormerDialect[] = [
  { ...SUREFIRE, matches: ({ roots, suites }) => roots.some(isSurefire) || suites.some(isSurefire) },
  GOTESTSUM,
  NEXTEST,
  {
    ...PHPUNIT,
    place: (row, root) => ({
      spec: findSpecFile(row, root) ?? row.classname,
      title: [getJunitAttribute(row, 'class') || row.classname, row.name],
    }),
  },
  GOOGLETEST,
  RSPEC,
  CTEST,
  CATCH2,
  {
    ...BEHAVE,
    matches: ({ roots, rows }) =>
      roots.every(({ element }) => element === 'testsuite') &&
      rows.length > 0 &&
      rows.every((row) => getJunitAttribute(row, 'status') !== ''),
  },
  PLAYWRIGHT_DIALECT,
  BATS,
  {
    ...PYTEST,
    place: (row, root) => (row.classname === '' ? placeCollectionError(row.name, row, root) : placeInModule(row, root)),
  },
  {
    ...XMLRUNNER,
    place: (row, root) => {
      if (row.classname === '') {
        const [, owner = ''] = /\(([\w.]+)\)$/.exec(row.name) ?? [];
        return { spec: findModule(owner)?.spec ?? findSpecFile(row, root) ?? row.name, title: [row.name] };
      }
      return row.classname.endsWith('._FailedTest')
        ? placeCollectionError(row.name, row, root)
        : placeInModule(row, root);
    },
  },
  NODE_TEST,
  MOCHA_XUNIT,
  {
    ...MOCHA_JUNIT,
    place: (row, root) => ({
      spec: findSpecFile(row, root) ?? toSpecPath(row.suite?.name ?? '', root),
      title: [cleanHookTitle(row.classname.length > row.name.length ? row.classname : row.name)],
    }),
  },
  GRADLE,
  {
    ...JEST,
    place: (row, root) => ({
      spec: findSpecFile(row, root) ?? toSpecPath(row.suite?.name ?? row.classname, root),
      title: [row.classname === 'Test suite failed to run' ? row.classname : row.name],
    }),
  },
  {
    ...VITEST,
    matches: ({ roots, rows }) =>
      roots.some(
        ({ element, attributes }) => element === 'testsuites' && attributes.has('time') && attributes.has('errors'),
      ) &&
      rows.length > 0 &&
      rows.every((row) => row.classname !== '' && row.classname === row.suite?.name),
  },
  {
    ...ROBOT,
    matches: (sample) =>
      hasBareRoot(sample) &&
      sample.suites.some(({ parent }) => parent !== null) &&
      sample.rows.some((row) => row.classname !== ''),
  },
  {
    ...GENERIC,
    place: (row, root) => ({
      spec: findSpecFile(row, root) || toSpecPath(row.classname || row.suite?.name || '', root),
      title: [row.name],
    }),
  },
];

/** Release 0.2.0 ended the path of a module at the first part that begins with a capital. */
function findModule(classname: string): { readonly spec: string; readonly classes: readonly string[] } | undefined {
  const parts = classname.split('.');
  const first = parts.findIndex((part) => /^[A-Z]/.test(part));
  const folders = first < 0 ? parts : parts.slice(0, first);
  if (folders.join('') === '') return undefined;
  return { spec: `${folders.join('/')}.py`, classes: first < 0 ? [] : parts.slice(first) };
}

function placeInModule(row: JunitRow, root: string | undefined) {
  const module = findModule(row.classname);
  if (module) return { spec: module.spec, title: [...module.classes, row.name] };
  return { spec: findSpecFile(row, root) ?? toSpecPath(row.classname, root), title: [row.classname, row.name] };
}

const placeCollectionError = (module: string, row: JunitRow, root: string | undefined) => ({
  spec: findModule(module)?.spec ?? findSpecFile(row, root) ?? module,
  title: ['(collection)'],
});
