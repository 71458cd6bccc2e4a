/** The JUnit dialects of pytest, unittest-xml-reporting, behave and Robot Framework. */
import { BROKEN_FILE } from '#shared/model/results/broken-file.ts';
import { toSpecPath } from '#shared/reports/paths.ts';
import { joinTries } from '#shared/reports/pytest-tries.ts';
import type { Dialect, JunitEnding, JunitPlace } from './dialect.ts';
import { derivePlainEnding } from './found-row.ts';
import { findSpecFile } from './generic.ts';
import { findSkip, getJunitAttribute, type JunitRow, type JunitSuite, listSuites } from './row.ts';

const CLASS = /^[A-Z]/;

const TEST_MODULE = /^test_|_test$/;
/** Endings of files that plugins collect tests from: pytest writes `docs/guide.rst` as `docs.guide.rst`. */
const DATA_FILES: ReadonlySet<string> = new Set(['rst', 'txt', 'md', 'yaml', 'yml', 'json', 'toml', 'ipynb']);

interface Module {
  readonly spec: string;
  readonly classes: readonly string[];
}

const splitClassName = (classname: string): string[] => classname.split('.').filter((part) => part !== '');

/**
 * `pkg.test_cart.TestCart` is the class `TestCart` of `pkg/test_cart.py`, in both `xunit1` and `xunit2` of pytest. A
 * folder may begin with a capital too, so a module that is named like a test ends the path.
 */
function findModule(classname: string): Module | undefined {
  const parts = splitClassName(classname);
  const first = parts.findIndex((part) => CLASS.test(part));
  if (first < 0) return parts.length === 0 ? undefined : { spec: buildModulePath(parts), classes: [] };
  const module = parts.findLastIndex((part, index) => index > first && TEST_MODULE.test(part));
  const end = module < 0 ? first : module + 1;
  return end === 0 ? undefined : { spec: `${parts.slice(0, end).join('/')}.py`, classes: parts.slice(end) };
}

function buildModulePath(parts: readonly string[]): string {
  const ending = parts.at(-1) ?? '';
  const isData = parts.length > 1 && DATA_FILES.has(ending);
  return isData ? `${parts.slice(0, -1).join('/')}.${ending}` : `${parts.join('/')}.py`;
}

/** `undefined` if the class inherits the test from a base class in that file. */
function findModuleInFile(file: string | undefined, classname: string): Module | undefined {
  if (file === undefined) return undefined;
  const module = file.replace(/\.py$/, '').replaceAll('/', '.');
  if (classname !== module && !classname.startsWith(`${module}.`)) return undefined;
  return { spec: file, classes: splitClassName(classname.slice(module.length)) };
}

const placeRow = (row: JunitRow, root: string | undefined) => {
  const file = findSpecFile(row, root);
  const { spec, classes } = findModuleInFile(file, row.classname) ??
    findModule(row.classname) ?? {
      spec: file ?? toSpecPath(row.classname, root),
      classes: splitClassName(row.classname),
    };
  return { spec, title: [...classes, row.name] };
};

/**
 * A row without a class name is a module that cannot be imported, or a test outside the root folder. Such rows never
 * become attempts of one test: different files may have tests of the same name, and a failure must not look repeated.
 */
function placeRowWithoutClass(row: JunitRow, root: string | undefined): JunitPlace {
  const file = findSpecFile(row, root);
  const hasError = row.problems.some(({ kind }) => kind === 'error');
  const isModule = file === undefined || findModuleInFile(file, row.name) !== undefined;
  if (hasError && isModule) return { ...placeCollectionError(row.name, row, root), sameName: 'numbered' };
  return { spec: file ?? row.suite?.name ?? '', title: [row.name], sameName: 'numbered' };
}

/** The row of a module that cannot be imported names only the module. */
function placeCollectionError(module: string, row: JunitRow, root: string | undefined) {
  const file = findSpecFile(row, root);
  const { spec } = findModuleInFile(file, module) ?? findModule(module) ?? { spec: file ?? module };
  return { spec, title: [BROKEN_FILE.pytest] };
}

export const PYTEST: Dialect = {
  name: 'pytest',
  sameName: 'attempts',
  matches: ({ roots, suites }) =>
    roots.some(({ attributes }) => attributes.get('name')?.startsWith('pytest')) ||
    suites.some(({ name }) => name === 'pytest'),
  place: (row, root) => {
    const place = row.classname === '' ? placeRowWithoutClass(row, root) : placeRow(row, root);
    return { ...place, ending: deriveEnding(row, 'pytest.xfail') };
  },
  join: joinTries,
};

const deriveEnding = (row: JunitRow, skipType: string): JunitEnding =>
  findSkip(row)?.type === skipType ? 'expected failure' : derivePlainEnding(row);

/** unittest-xml-reporting writes the time into suite names, so titles leave these names out. */
export const XMLRUNNER: Dialect = {
  name: 'xmlrunner',
  framework: 'unittest',
  matches: ({ suites }) => suites.length > 0 && suites.every(({ name }) => /-\d{14}$/.test(name)),
  place: (row, root) => {
    const ending = deriveEnding(row, 'XFAIL');
    if (row.classname === '') return { ...placeFixture(row, root), ending };
    if (row.classname.endsWith('._FailedTest')) return placeCollectionError(row.name, row, root);
    return { ...placeRow(row, root), ending };
  },
};

/** The name of a failed class fixture contains the class: `setUpClass (test_cart.SetupTest)`. */
function placeFixture(row: JunitRow, root: string | undefined) {
  const [, owner = ''] = /\(([\w.]+)\)$/.exec(row.name) ?? [];
  return { spec: findModule(owner)?.spec ?? findSpecFile(row, root) ?? row.name, title: [row.name] };
}

export const BEHAVE: Dialect = {
  name: 'behave',
  matches: ({ roots, rows }) =>
    roots.every(({ element }) => element === 'testsuite') &&
    rows.length > 0 &&
    rows.every((row) => getJunitAttribute(row, 'status') !== '' && row.classname === row.suite?.name) &&
    rows.some((row) => row.out.includes('@scenario.begin')),
  place: (row) => {
    const [spec = '', ...feature] = row.classname.split('.');
    return { spec, title: [feature.join('.'), row.name] };
  },
};

export const ROBOT: Dialect = {
  name: 'robot',
  // The class of a test is the names of all suites around it.
  matches: ({ roots, suites, rows }) =>
    roots.some(({ element }) => element === 'testsuite') &&
    suites.some(({ parent }) => parent !== null) &&
    rows.length > 0 &&
    rows.every((row) => row.classname === joinNames(listSuites(row)) && !row.attributes.has('file')),
  place: (row) => ({ spec: row.classname, title: [row.name] }),
};

const joinNames = (suites: readonly JunitSuite[]): string => suites.map(({ name }) => name).join('.');
