/** The JUnit dialects of tools for Go, Rust, PHP, Ruby, Bash and C++. */
import { type FoundTest, pickLastTest } from '#shared/reports/found.ts';
import { toSpecPath } from '#shared/reports/paths.ts';
import type { Dialect, JunitEnding } from './dialect.ts';
import { derivePlainEnding } from './found-row.ts';
import { findSpecFile } from './generic.ts';
import { findSkip, getJunitAttribute, type JunitRow, listFailures } from './row.ts';

/** Each row is an attempt, and the last attempt counts. */
function joinRuns(rows: readonly FoundTest[]): FoundTest {
  const last = pickLastTest(rows);
  return { ...last, attempts: rows.flatMap(({ attempts }) => attempts) };
}

/** gotestsum writes all failures first, then skips, then passes. So the last row of a test that passed is its pass. */
export const GOTESTSUM: Dialect = {
  name: 'gotestsum',
  framework: 'go',
  sameName: 'attempts',
  matches: ({ suites }) => suites.some(({ properties }) => properties.has('go.version')),
  place: (row) => {
    const [test = '', ...subtest] = row.name.split('/');
    return { spec: row.suite?.name ?? row.classname, title: [test, subtest.join('/')] };
  },
  join: joinRuns,
};

export const NEXTEST: Dialect = {
  name: 'nextest',
  framework: 'rust',
  matches: ({ roots }) => roots.some(({ attributes }) => attributes.has('uuid')),
  place: (row) => ({ spec: row.classname, title: row.name.split('::') }),
};

/** PHPUnit reports a risky test, such as one without assertions, like a failure. It is not a failure. */
const isRisky = (row: JunitRow): boolean => listFailures(row).some(({ type }) => type.endsWith('RiskyTestError'));

export const PHPUNIT: Dialect = {
  name: 'phpunit',
  matches: ({ rows }) => rows.some(({ attributes }) => attributes.has('assertions') && attributes.has('class')),
  place: (row, root) => ({
    // Pest adds the name of the test: `tests/CartTest.php::it adds`.
    spec: findSpecFile(row, root)?.split('::', 1)[0] ?? row.classname,
    title: [getJunitAttribute(row, 'class') || row.classname, row.name],
    ending: isRisky(row) ? 'passed' : derivePlainEnding(row),
  }),
};

export const RSPEC: Dialect = {
  name: 'rspec',
  matches: ({ roots }) =>
    roots.some(({ element, attributes }) => element === 'testsuite' && /^rspec\d*$/.test(attributes.get('name') ?? '')),
  place: (row, root) => ({ spec: findSpecFile(row, root) ?? row.classname, title: [row.name] }),
};

/** In a rerun, Bats puts `begin` and a number before the name of the test, such as `begin 3 x`. */
export const BATS: Dialect = {
  name: 'bats',
  sameName: 'last',
  isUtc: true,
  matches: ({ rows }) => rows.length > 0 && rows.every((row) => row.classname.endsWith('.bats')),
  place: (row, root) => ({
    spec: toSpecPath(row.classname, root),
    title: [row.name.replace(/^begin \d+ /, '')],
  }),
};

export const GOOGLETEST: Dialect = {
  name: 'googletest',
  matches: ({ roots, rows }) =>
    roots.some(({ attributes }) => attributes.get('name') === 'AllTests') ||
    rows.some(({ attributes }) => attributes.has('status') && attributes.has('result')),
  place: (row, root) => ({
    spec: findSpecFile(row, root) ?? row.suite?.name ?? row.classname,
    // If a global test environment fails, GoogleTest reports the failure in a row without a name.
    title: [row.classname, row.name || '(environment)'],
  }),
};

export const CATCH2: Dialect = {
  name: 'catch2',
  matches: ({ suites, rows }) =>
    suites.some(({ attributes }) => attributes.get('hostname') === 'tbd') ||
    rows.some((row) => getJunitAttribute(row, 'status') === 'run' && row.classname.endsWith('.global')),
  place: (row) => {
    const isExpected = findSkip(row) !== undefined && listFailures(row).length > 0;
    const ending: JunitEnding = isExpected ? 'expected failure' : derivePlainEnding(row);
    return { spec: row.suite?.name ?? row.classname, title: [row.name], ending };
  },
};

const CTEST_STATUSES: ReadonlySet<string> = new Set(['run', 'fail', 'notrun', 'disabled']);
/** The messages of tests that were skipped on purpose. CTest also skips tests whose program or fixture is missing. */
const DECLARED_SKIP = /^SKIP_(?:RETURN_CODE|REGULAR_EXPRESSION)/;

export const CTEST: Dialect = {
  name: 'ctest',
  matches: ({ rows }) =>
    rows.length > 0 &&
    rows.every((row) => CTEST_STATUSES.has(getJunitAttribute(row, 'status')) && row.classname === row.name),
  correct: addOutput,
  place: (row) => ({ spec: 'ctest', title: [row.name], ending: deriveCtestEnding(row) }),
};

function deriveCtestEnding(row: JunitRow): JunitEnding {
  const isPrevented =
    getJunitAttribute(row, 'status') === 'notrun' && !DECLARED_SKIP.test(findSkip(row)?.message ?? '');
  return isPrevented ? 'skipped' : derivePlainEnding(row);
}

/** Uses the output of a test as the text of its failure, because CTest writes the error only into the output. */
function addOutput(row: JunitRow): JunitRow {
  const problems = row.problems.map((problem) => (problem.text === '' ? { ...problem, text: row.out } : problem));
  return { ...row, problems };
}
