import { describe, expect, test } from 'vitest';
import { parseBytes, toldBy } from './samples.ts';

const suite = (attributes: string, content = ''): string => `<testsuite ${attributes}>${content}</testsuite>`;
const suites = (content: string, attributes = ''): string => `<testsuites ${attributes}>${content}</testsuites>`;
const row = (name: string, content = '', attributes = ''): string =>
  `<testcase classname="shop.Cart" name="${name}" ${attributes}>${content}</testcase>`;
const PASSED = row('adds');
const FAILED = row('sums', '<failure message="expected 2"/>');
const BROKEN = row('loads', '<error message="no driver"/>');
const FLAKY = row('pays', '<flakyFailure message="slow"/><flakyFailure message="slower"/>');
const RERUN = row('refunds', '<failure message="no"/><rerunFailure message="no again"/>');
const SKIPPED = row('later', '<skipped/>');

type Row = readonly [what: string, report: string, errors: readonly string[], ...warnings: readonly string[]];

const RAISED: readonly Row[] = [
  [
    'an error element below a suite',
    suites(suite('name="a"', `${PASSED}<error message="no driver">at Stock</error>`)),
    ['a: no driver\nat Stock'],
  ],
  [
    'a failure element below a suite',
    suite('name="a" tests="1"', `<failure message="setup failed"/>${PASSED}`),
    ['a: setup failed'],
  ],
  [
    'an error element below the root',
    suites(`${suite('name="a"', PASSED)}<error message="exit code 3"/>`, 'name="all"'),
    ['all: exit code 3'],
  ],
  [
    'an error element that its counter counts as well',
    suite('name="a" errors="1"', `${PASSED}<error message="x"/>`),
    ['a: x'],
  ],
  [
    'a counter without any row, and its error output',
    suites(
      suite(
        'name="a" errors="1" tests="0"',
        '<system-out>log</system-out><system-err>---\nRequestError: refused\n---</system-err>',
      ),
    ),
    ['a: RequestError: refused'],
  ],
  [
    'a counter beside passed tests, and its output',
    suite('name="a" errors="1"', `${PASSED}<system-out>afterAll threw</system-out>`),
    ['a: afterAll threw'],
  ],
  [
    'a counter without any output',
    suite('name="a" errors="2"', PASSED),
    ['a: 2 errors that the report does not describe'],
  ],
  [
    'a counter above the failed tests',
    suite('name="a" errors="2"', `${FAILED}<system-err>disconnected</system-err>`),
    ['a: disconnected'],
  ],
  [
    'the counter of an inner suite, once',
    suites(
      suite('name="outer" errors="1"', suite('name="inner" errors="1"', `${PASSED}<system-err>boom</system-err>`)),
      'errors="1"',
    ),
    ['inner: boom'],
  ],
  [
    'the counter of the root element',
    suites(suite('name="a" errors="0"', PASSED), 'errors="1" name="all"'),
    ['all: An error that the report does not describe'],
  ],
  [
    'an error of an outer suite beside that of an inner one',
    suite(
      'name="o" errors="2"',
      `${suite('name="i" errors="1"', '<system-err>inner</system-err>')}<system-err>outer</system-err>`,
    ),
    ['i: inner', 'o: outer'],
  ],
];

const QUIET: readonly Row[] = [
  ['a counter equal to the errors of its tests', suite('name="a" errors="1" failures="1"', BROKEN + FAILED), []],
  ['an `errors` counter that counts failures', suite('name="a" errors="1" failures="0"', FAILED), []],
  ['an `errors` counter that counts failed attempts of tests that passed', suite('name="a" errors="2"', FLAKY), []],
  ['an `errors` counter that counts repeated failures', suite('name="a" errors="2"', RERUN), []],
  [
    'an outer counter equal to the errors of nested tests',
    suites(suite('name="o" errors="1"', suite('name="i"', BROKEN)), 'errors="1"'),
    [],
  ],
  ['a test that failed by its status', suite('name="a" errors="1"', row('x', '', 'status="failed"')), []],
  [
    'counters that are too low, as in a trimmed file',
    suite('name="a" errors="0" failures="0" tests="0"', BROKEN + FAILED),
    [],
  ],
  ['a counter that is no number', suite('name="a" errors="many" failures=""', PASSED), []],
  [
    'output of a suite without an error',
    suite('name="a" errors="0"', `${PASSED}<system-err>Error: only logged</system-err>`),
    [],
  ],
  ['a skipped element below a suite', suite('name="a"', `${SKIPPED}<skipped message="all"/>`), []],
  [
    'more failures than failed tests, which causes a warning',
    suite('name="a" failures="3"', FAILED),
    [],
    'a: The report counts 3 failures, but shows 1. Check that it lists all tests',
  ],
  [
    'more failures in a nested suite, which cause one warning',
    suites(suite('name="a" failures="2"', PASSED), 'failures="2"'),
    [],
    'a: The report counts 2 failures, but shows 0. Check that it lists all tests',
  ],
];

const named = (rows: readonly Row[]) => rows.map((row) => [row[0], row] as const);

async function expectErrors([, report, errors, ...warnings]: Row): Promise<void> {
  const file = await parseBytes(report);
  expect(file.runErrors).toEqual(errors);
  expect(file.runWarnings).toEqual(warnings);
  for (const warning of warnings) expect(file.warnings.map(({ message }) => message)).toContain(warning);
}

describe('Errors of a suite', () => {
  test.each(named(RAISED))('An error outside tests is read from %s', (_, row) => expectErrors(row));

  test.each(named(QUIET))('No error outside tests is read from %s', (_, row) => expectErrors(row));
});

test('The counters of a file that ends early are not compared with its tests', async () => {
  const { runErrors, truncated } = await parseBytes(`<testsuites errors="5"><testsuite name="a" errors="5">${PASSED}`);
  expect({ runErrors, truncated }).toEqual({ runErrors: [], truncated: true });
});

test('A report keeps the first twenty errors outside tests, each up to 2,000 characters', async () => {
  const many = Array.from({ length: 30 }, (_, n) => suite(`name="s${n}"`, `<error message="${'e'.repeat(5000)}"/>`));
  const { runErrors } = await parseBytes(suites(many.join('')));
  expect(runErrors).toHaveLength(20);
  expect(Math.max(...runErrors.map(({ length }) => length))).toBe(2000);
});

describe('Tests of pytest without a class name', () => {
  const pytest = (rows: string): string => suites(suite('name="pytest"', rows), 'name="pytest tests"');
  const plain = (name: string, content = '', more = ''): string =>
    `<testcase classname="" name="${name}" ${more}>${content}</testcase>`;

  test('Tests of different files with the same name never become attempts of one test', async () => {
    const failure = '<failure message="no">E no</failure>';
    const told = toldBy(await parseBytes(pytest(plain('test_health', failure) + plain('test_health'))));
    expect(told.map(({ outcome, flaky }) => ({ outcome, flaky }))).toEqual([
      { outcome: 'failed', flaky: false },
      { outcome: 'passed', flaky: false },
    ]);
  });

  test('A passed test keeps its name and file, and only a module that cannot be imported is called "(collection)"', async () => {
    const rows = [
      plain('test_ok', '', 'file="../shop/tests/test_a.py"'),
      plain('mypy-status'),
      plain('tests.test_broken', '<error message="collection failure">ImportError</error>'),
    ];
    const told = toldBy(await parseBytes(pytest(rows.join(''))));
    expect(told.map(({ spec, title, outcome }) => [spec, ...title, outcome])).toEqual([
      ['../shop/tests/test_a.py', 'test_ok', 'passed'],
      ['pytest', 'mypy-status', 'passed'],
      ['tests/test_broken.py', '(collection)', 'failed'],
    ]);
  });
});

test.each(['timedOut', 'TIMEOUT', 'aborted', 'crashed', 'Broken', 'error'])(
  'A JUnit test with the status %s has failed',
  async (word) => {
    const ofRow = async (name: string) =>
      toldBy(await parseBytes(suite('name="a"', row('x', '', `${name}="${word}"`)))).map(({ outcome }) => outcome);
    expect([await ofRow('status'), await ofRow('result')]).toEqual([['failed'], ['failed']]);
  },
);

test.each([
  ['Failed', '', 'failed'],
  ['fail', '', 'failed'],
  ['other', 'timedOut', 'failed'],
  ['other', 'something', 'skipped'],
])('A CTRF test with the status %s and the raw status "%s" is %s', async (status, rawStatus, outcome) => {
  const tests = [{ name: 'pays', status, rawStatus, duration: 1 }];
  const report = { reportFormat: 'CTRF', results: { tool: { name: 'jest' }, tests } };
  expect(toldBy(await parseBytes(JSON.stringify(report)))).toMatchObject([{ outcome }]);
});

const nested = (levels: number): object =>
  levels === 0
    ? {
        title: 'innermost',
        specs: [
          {
            title: 'passes',
            tests: [{ expectedStatus: 'passed', projectName: 'a', results: [{ status: 'passed', duration: 1 }] }],
          },
        ],
      }
    : { title: `level ${levels}`, specs: [], suites: [nested(levels - 1)] };

test.each([
  [30, 1, false],
  [450, 1, false],
  [600, 0, true],
])(
  'A Playwright test below %i describes is read, or the report is marked as incomplete',
  async (levels, tests, truncated) => {
    const report = {
      config: { rootDir: '/project' },
      suites: [{ title: 'a.spec.ts', file: 'a.spec.ts', specs: [], suites: [nested(levels)] }],
    };
    const file = await parseBytes(JSON.stringify(report));
    expect({
      tests: toldBy(file).filter(({ outcome }) => outcome === 'passed').length,
      truncated: file.truncated,
    }).toEqual({ tests, truncated });
  },
);
