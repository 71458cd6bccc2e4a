import { expect, test } from 'vitest';
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

test.each([...GO, ...TRX, ...NUNIT, ...CUCUMBER, ...MESSAGES])(
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

test('Text after a JSON report, even if it is JSON, does no harm', async () => {
  const report = JSON.stringify([feature(ADDING)]);
  for (const after of ['\nnpm notice\n', '\n{"level": 30, "msg": "closed"}\n', '\n[]\n', '\n[{"level": 30}]'])
    expect(await parseBytes(report + after), after).toMatchObject({ truncated: false, warnings: [] });
});
