import { expect, test } from 'vitest';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { parseBytes, toldBy } from './samples.ts';

const toLines = (...rows: readonly (object | string)[]): string =>
  rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('');

/** A row of a report on a bad day, and what shows it: failed tests, errors outside tests, or that something is missing. */
interface Shown {
  readonly failed?: readonly string[];
  readonly errors?: readonly string[];
  readonly truncated?: boolean;
}
type BadDay = readonly [what: string, report: string, shown: Shown];

const go = (Action: string, Test?: string) => ({ Action, Package: 'shop', ...(Test && { Test }) });
const PASSED_PACKAGE = [go('start'), go('run', 'TestAdds'), go('pass', 'TestAdds'), go('pass')];
const GO: readonly BadDay[] = [
  [
    'a build that failed, and no package names it',
    toLines(
      { ImportPath: 'lib', Action: 'build-output', Output: '# lib\n' },
      { ImportPath: 'lib', Action: 'build-output', Output: 'x.go:1: undefined: y\n' },
      { ImportPath: 'lib', Action: 'build-fail' },
      ...PASSED_PACKAGE,
    ),
    { errors: ['lib: The build failed. x.go:1: undefined: y'] },
  ],
  [
    'a package that an old version of Go could not build',
    toLines(...PASSED_PACKAGE, '# lib', 'x.go:1: undefined: y', 'FAIL\tlib [build failed]', 'FAIL'),
    { failed: ['TestMain'] },
  ],
  [
    'events of Go without the end of any package',
    toLines({ ImportPath: 'lib', Action: 'build-output', Output: 'x.go:1: undefined: y\n' }),
    { truncated: true },
  ],
];

const result = (name: string, outcome: string, content = '', kind = 'UnitTestResult'): string =>
  `<${kind} testName="${name}" outcome="${outcome}">${content}</${kind}>`;
const trx = (results: string, outcome = 'Completed'): string =>
  `<TestRun><Results>${results}</Results><ResultSummary outcome="${outcome}"/></TestRun>`;
const TRX: readonly BadDay[] = [
  [
    'a data-driven test in a trx file that failed after its rows passed',
    trx(result('all', 'Failed', `<InnerResults>${result('row', 'Passed')}</InnerResults>`)),
    { failed: ['all'] },
  ],
  [
    'a data-driven test in a trx file with a failed row, which counts alone',
    trx(result('all', 'Failed', `<InnerResults>${result('row', 'Failed')}</InnerResults>`)),
    { failed: ['row'] },
  ],
  [
    'results of other kinds in a trx file',
    trx(result('generic', 'Failed', '', 'GenericTestResult') + result('web', 'Failed', '', 'WebTestResult')),
    { failed: ['generic', 'web'] },
  ],
  [
    'two trx files in one, of which the first run was aborted',
    trx('', 'Aborted') + trx(result('adds', 'Passed')),
    { errors: ['The run ended with the outcome Aborted, but no test failed'] },
  ],
  [
    'a trx file whose run has not ended',
    trx(result('adds', 'Passed'), 'InProgress'),
    { errors: ['The run ended with the outcome InProgress, but no test failed'] },
  ],
];

const ADDS = '<test-case name="adds" result="Passed"/>';
const nunit = (run: string, suite: string, content: string): string =>
  `<test-run ${run}><test-suite type="TestFixture" name="Cart" ${suite}>${content}</test-suite></test-run>`;
const NO_TEST = ['The run failed, but no test did'];
const NUNIT: readonly BadDay[] = [
  [
    'a suite of NUnit that failed beside its passed tests, in a run without a result',
    nunit('', 'result="Failed"', ADDS),
    { errors: NO_TEST },
  ],
  [
    'two reports of NUnit in one file, of which the first run failed',
    `<test-run result="Failed"/>${nunit('result="Passed"', 'result="Passed"', ADDS)}`,
    { errors: NO_TEST },
  ],
  [
    'NUnit 2.4, which says only what was a success',
    '<test-results><test-suite name="Cart" success="False"><results><test-case name="adds" executed="True" success="True"/><test-case name="sums" executed="True" success="False"/></results></test-suite></test-results>',
    { failed: ['sums'] },
  ],
  [
    'an empty suite of NUnit 2.4 that was no success',
    '<test-results><test-suite name="Cart" type="TestFixture" success="False"><failure><message>no</message></failure></test-suite></test-results>',
    { failed: ['(fixture)'] },
  ],
];

const step = (status: string) => ({ keyword: 'Given ', name: 'a cart', result: { status } });
const element = (type: string, name: string, ...steps: readonly object[]) => ({ type, name, steps });
const feature = (...elements: readonly object[]) => ({ uri: 'cart.feature', name: 'Cart', elements });
const ADDING = element('scenario', 'adds', step('passed'));
const CUCUMBER: readonly BadDay[] = [
  [
    'a background of Cucumber before the background of a rule',
    JSON.stringify([
      feature(element('background', '', step('failed')), element('background', '', step('skipped')), ADDING),
    ]),
    { failed: ['adds'] },
  ],
  [
    'a background of Cucumber without a scenario',
    JSON.stringify([feature(ADDING, element('background', '', step('failed')))]),
    { failed: ['(background)'] },
  ],
  [
    'a feature of behave whose hook failed',
    JSON.stringify([{ location: 'cart.feature:1', name: 'Cart', status: 'failed', elements: [ADDING] }]),
    { errors: ['Cart: A hook of the feature failed'] },
  ],
  [
    'a pending step of Cucumber, which ends with an error although no scenario failed',
    JSON.stringify([feature(element('scenario', 'sums', { ...step('pending'), match: { location: 'steps.js:3' } }))]),
    { errors: ['A step is pending, which fails the run'] },
  ],
  [
    'a pending step of Cucumber in Ruby, which is only a warning',
    JSON.stringify([feature(element('scenario', 'sums', { ...step('pending'), match: { location: 'steps.rb:3' } }))]),
    {},
  ],
  [
    'a pending step of behave, in its last scenario',
    JSON.stringify([
      {
        location: 'cart.feature:1',
        name: 'Cart',
        status: 'error',
        elements: [{ ...element('scenario', 'sums', step('pending')), status: null }],
      },
    ]),
    { failed: ['sums'] },
  ],
  [
    'two reports of Cucumber in one file',
    `${JSON.stringify([feature(ADDING)], null, 2)}\n${JSON.stringify([feature(element('scenario', 'sums', step('failed')))])}`,
    { truncated: true },
  ],
];

const declare = (id: string) => [
  { pickle: { id: `p-${id}`, uri: 'cart.feature', name: id, astNodeIds: [], tags: [], steps: [] } },
  { testCase: { id, pickleId: `p-${id}`, testSteps: [] } },
];
const begin = (id: string) => [
  { testCaseStarted: { id: `s-${id}`, testCaseId: id } },
  { testStepFinished: { testCaseStartedId: `s-${id}`, testStepResult: { status: id } } },
];
const end = (id: string) => ({ testCaseFinished: { testCaseStartedId: `s-${id}` } });
const START = { testRunStarted: {} };
const PASSED_RUN = [...declare('PASSED'), START, ...begin('PASSED'), end('PASSED')];
const MESSAGES: readonly BadDay[] = [
  [
    'a second run in a file of Cucumber Messages that is cut',
    toLines(...PASSED_RUN, { testRunFinished: { success: true } }, START),
    { truncated: true },
  ],
  [
    'a scenario of Cucumber Messages that failed and never ended',
    toLines(...PASSED_RUN, ...declare('FAILED'), ...begin('FAILED'), { testRunFinished: {} }),
    { failed: ['FAILED'], truncated: true },
  ],
  [
    'a scenario of Cucumber Messages that the file does not describe',
    toLines(...PASSED_RUN, ...begin('FAILED'), end('FAILED'), { testRunFinished: {} }),
    { truncated: true },
  ],
  [
    'a run of Cucumber Messages that ended with an exception',
    toLines(...PASSED_RUN, { testRunFinished: { exception: { message: 'no server' } } }),
    { errors: ['no server'] },
  ],
];

const junit = (suite: string, classname: string, name: string, content: string): string =>
  `<testsuite name="${suite}"><testcase classname="${classname}" name="${name}">${content}</testcase></testsuite>`;
const twice = (run: (content: string) => string): string => run('<failure message="no"/>') + run('');
const nodeTest = (name: string, isFailed: boolean): string =>
  `<testcase name="${name}" time="0.1" classname="test">${isFailed ? '<failure type="testCodeFailure"/>' : ''}</testcase>`;
const nodeSuite = (content: string, failed: number): string =>
  `<testsuites><testsuite name="Cart">${content}</testsuite><!-- fail ${failed} --><!-- duration_ms 5.1 --></testsuites>`;
const JUNIT: readonly BadDay[] = [
  [
    'a test of node:test that failed around subtests that passed',
    nodeSuite(nodeTest('adds', false), 1),
    { errors: ['The file counts more failed tests (1) than it shows (0)'] },
  ],
  [
    'a test of node:test around a subtest that failed, which Node counts twice',
    nodeSuite(nodeTest('adds', true) + nodeTest('sums', false), 2),
    { failed: ['adds'] },
  ],
  [
    'a run of Bats that failed, and another one in the same file that passed',
    twice((content) => `<testsuites>${junit('./cart.bats', './cart.bats', 'adds', content)}</testsuites>`),
    { failed: ['adds'] },
  ],
  [
    'two runs of Bats in the same suites',
    `<testsuites>${twice((content) => junit('./cart.bats', './cart.bats', 'begin 3 adds', content))}</testsuites>`,
    { failed: ['adds'] },
  ],
  [
    'two runs of pytest that were merged into one file, of which the first failed',
    `<testsuites>${twice((content) => junit('pytest', 'test_cart', 'test_adds', content))}</testsuites>`,
    { failed: ['test_adds'] },
  ],
];

const pytest = (when: string, outcome: string) => ({
  $report_type: 'TestReport',
  nodeid: 'test_cart.py::test_adds',
  when,
  outcome,
});
const session = (exitstatus: number) => ({ $report_type: 'SessionFinish', exitstatus });
const xcode = (nodeType: string, name: string, result: string, ...children: readonly object[]) => ({
  nodeType,
  name,
  result,
  children,
});
const assertion = (status: string, ...titles: readonly string[]) => ({
  ancestorTitles: titles.slice(0, -1),
  title: titles.at(-1),
  status,
  failureMessages: status === 'failed' ? ['Error: sold out'] : [],
});
const jest = (counters: object, message: string, ...assertionResults: readonly object[]): string =>
  JSON.stringify({
    ...counters,
    numTotalTests: assertionResults.length,
    success: false,
    testResults: [{ name: 'cart.test.js', status: 'failed', message, assertionResults }],
  });
const SOLD_OUT = '  \u001b[1m● \u001b[22mCart › sells\n\n    sold out\n\n';
const NOT_CLOSED = '  \u001b[1m● \u001b[22mTest suite failed to run\n\n    cannot close\n';
const FAILED_CART = [assertion('failed', 'Cart', 'sells'), assertion('passed', 'Cart', 'adds')];
const VITEST: readonly BadDay[] = [
  [
    'an `afterAll` of Jest in a file with a failed test',
    jest({ numRuntimeErrorTestSuites: 1 }, SOLD_OUT + NOT_CLOSED, ...FAILED_CART),
    { failed: ['sells', '(file)'] },
  ],
  [
    'a failed test of Jest whose message quotes another failure',
    jest({ numRuntimeErrorTestSuites: 0 }, SOLD_OUT + NOT_CLOSED.replaceAll(/^/gm, '    '), ...FAILED_CART),
    { failed: ['sells'] },
  ],
  [
    'a hook of Vitest in a file with a failed test',
    jest({ numFailedTestSuites: 3 }, '', ...FAILED_CART, assertion('skipped', 'Checkout', 'pays')),
    { failed: ['sells'], errors: ['A suite failed outside tests, for example in a hook'] },
  ],
  [
    'a hook of Vitest in a file without a failed test, which fails with its describe',
    jest({ numFailedTestSuites: 2 }, '', assertion('passed', 'Cart', 'adds')),
    { failed: ['(file)'] },
  ],
  [
    'describes of one name in Vitest that all have a failed test',
    jest(
      { numFailedTestSuites: 5 },
      '',
      ...FAILED_CART,
      assertion('failed', 'Cart', 'sells'),
      assertion('failed', 'Checkout', 'pays'),
      assertion('failed', 'Cart', 'empties'),
    ),
    { failed: ['sells', 'sells (2)', 'pays', 'empties'] },
  ],
];

const OTHERS: readonly BadDay[] = [
  [
    'a worker of pytest-xdist that died in a test',
    toLines({ $report_type: 'SessionStart' }, pytest('setup', 'passed'), pytest('???', 'failed'), session(1)),
    { failed: ['test_adds'] },
  ],
  [
    'a test of pytest without an end',
    toLines({ $report_type: 'SessionStart' }, pytest('setup', 'passed'), pytest('call', 'passed'), session(0)),
    { truncated: true },
  ],
  [
    'a session of pytest that failed, and another one in the same file that passed',
    toLines(
      { $report_type: 'SessionStart' },
      pytest('call', 'failed'),
      pytest('teardown', 'passed'),
      session(1),
      { $report_type: 'SessionStart' },
      pytest('call', 'passed'),
      pytest('teardown', 'passed'),
      session(0),
    ),
    { failed: ['test_adds'] },
  ],
  [
    'a second session of pytest in the same file that is cut',
    toLines({ $report_type: 'SessionStart' }, session(5), { $report_type: 'SessionStart' }),
    { truncated: true },
  ],
  [
    'a log of pytest without the test that failed',
    toLines({ $report_type: 'SessionStart' }, session(1)),
    { errors: ['pytest failed, but no test did'] },
  ],
  [
    'a JSON report of pytest without the test that failed',
    JSON.stringify({ created: 1, duration: 1, exitcode: 1, root: '/', environment: {}, summary: {}, tests: [] }),
    { errors: ['pytest failed, but no test did'] },
  ],
  [
    'a second run of Dart in the same file that is cut',
    toLines(
      { protocolVersion: '0.1.1', type: 'start', time: 0 },
      { type: 'done', success: true, time: 1 },
      { protocolVersion: '0.1.1', type: 'start', time: 0 },
    ),
    { truncated: true },
  ],
  [
    'a suite of Xcode that failed beside its passed tests',
    JSON.stringify({
      devices: [],
      testNodes: [xcode('Test Suite', 'Cart', 'Failed', xcode('Test Case', 'adds()', 'Passed'))],
      testPlanConfigurations: [],
    }),
    { errors: ['The run failed, but no test did'] },
  ],
];

const PASSED_PROGRAM = 't/cart.t .. \nok 1 - adds\n# Subtest: sums\n    ok 1 - two\n    1..1\nok 2 - sums\n1..2\nok\n';
const PASSED_PROVE = `${PASSED_PROGRAM}All tests successful.\nFiles=1, Tests=2,  0 wallclock secs\nResult: PASS\n`;
const TAP: readonly BadDay[] = [
  [
    'a program of `prove` that failed after its tests',
    `${PASSED_PROGRAM}t/pay.t .. \nok 1 - pays\n1..1\nDubious, test returned 3 (wstat 768, 0x300)\nAll 1 subtests passed \n\nTest Summary Report\n---\nt/pay.t (Wstat: 768 (exited 3) Tests: 1 Failed: 0)\n  Non-zero exit status: 3\nFiles=2, Tests=3\nResult: FAIL\n`,
    { errors: ['t/pay.t: Dubious, test returned 3 (wstat 768, 0x300)'] },
  ],
  [
    'a run of `prove` that failed for another reason',
    't/pay.t .. \nok 1 - a\nok 3 - b\n1..2\nAll 2 subtests passed \n\nTest Summary Report\n---\nt/pay.t (Wstat: 0 Tests: 2 Failed: 0)\n  Parse errors: Tests out of sequence\nFiles=1, Tests=2\nResult: FAIL\n',
    { errors: ['prove: Result: FAIL'] },
  ],
  [
    'a second run of `prove` in the same file',
    `${PASSED_PROVE}t/pay.t .. \nnot ok 1 - pays\n1..1\nFailed 1/1 subtests \n\nTest Summary Report\n---\nFiles=1, Tests=1\nResult: FAIL\n`,
    { failed: ['pays'] },
  ],
  ['output of `prove` that ends after a program', PASSED_PROGRAM, { truncated: true }],
  ['output of `prove` that ends within its last line', PASSED_PROVE.replace(/PASS\n$/, 'F'), { truncated: true }],
  [
    'a program with Test::More that failed after its tests',
    '1..1\nok 1 - adds\n# Looks like your test exited with 255 just after 1.\n',
    { errors: ['Looks like your test exited with 255 just after 1.'] },
  ],
  [
    'a second plan that hides what is missing from the first one',
    '1..3\nok 1\nok 2\n1..4\nok 1\nok 2\nok 3\nok 4\nok 5\n',
    { errors: ['Planned 3 tests, ran 2', 'Planned 4 tests, ran 5'] },
  ],
  [
    'a plan below the tests of a second program',
    'ok 1\n1..1\n# Subtest: sums\n    ok 1\n    1..1\nok 1 - sums\n1..2\n',
    { errors: ['Planned 2 tests, ran 1'] },
  ],
  [
    'a program that bails out in small letters',
    '1..1\nok 1\nbail out! no database\n',
    { errors: ['bail out! no database'] },
  ],
];

test.each([...GO, ...TRX, ...NUNIT, ...CUCUMBER, ...MESSAGES, ...TAP, ...JUNIT, ...VITEST, ...OTHERS])(
  'A failure counts, or the report is incomplete: %s',
  async (_, report, { failed = [], errors = [], truncated = false }) => {
    const file = await parseBytes(report);
    const failures = toldBy(file).filter(({ outcome }) => outcome === 'failed');
    expect({
      failed: failures.map(({ title }) => title.at(-1)),
      errors: file.runErrors,
      truncated: file.truncated,
    }).toEqual({ failed, errors, truncated });
  },
);

test.each([
  ['without times', (text: string) => text],
  [
    'with `--timer`',
    (text: string) => `[19:58:23] ${text.replace('\nok\n', '\nok      127 ms ( 0.00 usr  0.00 sys)\n')}`,
  ],
])('A run of `prove -v` that passed has only the tests of its programs, and no error: %s', async (_, change) => {
  const file = await parseBytes(change(PASSED_PROVE));
  expect(toldBy(file).map(({ spec, title, outcome }) => [spec, ...title, outcome])).toEqual([
    ['t/cart.t', 'adds', 'passed'],
    ['t/cart.t', 'sums', 'two', 'passed'],
  ]);
  expect(file).toMatchObject({ runErrors: [], truncated: false });
});

test('Two programs with plans of their own may write TAP to one file', async () => {
  const { runErrors } = await parseBytes('1..2\nok 1\nok 2\n1..1\nok 1\n');
  const { runErrors: below } = await parseBytes('ok 1\n1..1\nok 1\nok 2\n1..2\n');
  expect([runErrors, below]).toEqual([[], []]);
});

test('Text after a JSON report, even if it is JSON, does no harm', async () => {
  const report = JSON.stringify([feature(ADDING)]);
  for (const after of ['\nnpm notice\n', '\n{"level": 30, "msg": "closed"}\n', '\n[]\n', '\n[{"level": 30}]'])
    expect(await parseBytes(report + after), after).toMatchObject({ truncated: false, warnings: [] });
});

test('A test of CTRF that is too large to keep its status marks the report as incomplete', async () => {
  const extra = '1,'.repeat(REPORT_LIMITS.pieceCharacters / 32);
  const row = `{"name":"adds","duration":1,"extra":[${extra}1],"status":"failed"}`;
  const report = `{"reportFormat":"CTRF","results":{"tool":{"name":"shop"},"tests":[${row}]}}`;
  const { truncated, warnings } = await parseBytes(report);
  expect(truncated).toBe(true);
  expect(warnings.map(({ message }) => message).join()).toContain('too large');
});

test('A test of CTRF that is nested too deep to keep its status marks the report as incomplete', async () => {
  const inside = `${'['.repeat(REPORT_LIMITS.jsonDepth)}"failed"${']'.repeat(REPORT_LIMITS.jsonDepth)}`;
  const row = `{"name":"adds","duration":1,"status":${inside}}`;
  const report = `{"reportFormat":"CTRF","results":{"tool":{"name":"shop"},"tests":[${row}]}}`;
  const { truncated, warnings } = await parseBytes(report);
  expect(truncated).toBe(true);
  expect(warnings.map(({ message }) => message).join()).toContain('nested too deeply');
});
