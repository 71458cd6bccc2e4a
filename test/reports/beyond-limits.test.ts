import { describe, expect, test } from 'vitest';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { parseBytes, toldBy } from './samples.ts';

const outcomes = async (report: string) => toldBy(await parseBytes(report)).map(({ outcome }) => outcome);
const lines = (values: readonly object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const count = <One>(number: number, make: (index: number) => One): One[] =>
  Array.from({ length: number }, (_, index) => make(index));
const isLate = (index: number): boolean => index === REPORT_LIMITS.attemptsPerTest + 5;

const REPORTS: Readonly<Record<string, () => string>> = {
  'repetition of a Go test': () =>
    lines([
      ...count(REPORT_LIMITS.attemptsPerTest + 10, (index) => ({
        Action: isLate(index) ? 'fail' : 'pass',
        Package: 'shop',
        Test: 'TestCart',
      })),
      { Action: 'fail', Package: 'shop' },
    ]),
  'iteration of Newman': () =>
    JSON.stringify({
      collection: { info: { name: 'shop' }, item: [{ id: 'a', name: 'cart' }] },
      run: {
        executions: count(REPORT_LIMITS.attemptsPerTest + 10, (index) => ({
          cursor: { iteration: index },
          item: { id: 'a', name: 'cart' },
          assertions: [{ assertion: 'adds', error: isLate(index) ? { message: 'no' } : null }],
        })),
      },
    }),
  'step of a Cucumber scenario': () =>
    lines([
      { meta: { protocolVersion: '24' } },
      { pickle: { id: 'p', uri: 'cart.feature', name: 'adds', astNodeIds: [], tags: [], steps: [] } },
      { testCase: { id: 'c', pickleId: 'p', testSteps: [] } },
      { testCaseStarted: { id: 's', testCaseId: 'c' } },
      ...count(REPORT_LIMITS.stepsPerTest + 10, (index) => ({
        testStepFinished: {
          testCaseStartedId: 's',
          testStepResult: { status: index === REPORT_LIMITS.stepsPerTest + 5 ? 'FAILED' : 'PASSED' },
        },
      })),
      { testCaseFinished: { testCaseStartedId: 's' } },
      { testRunFinished: { success: false } },
    ]),
};

test.each(Object.keys(REPORTS))(
  'A failed %s counts, even if it comes after more of them than are kept',
  async (name) => {
    expect(await outcomes(REPORTS[name]?.() ?? '')).toEqual(['failed']);
  },
);

describe('A report that is nested too deeply', () => {
  const nest = (levels: number, open: (inner: object) => object, inner: object): object =>
    count(levels, () => open).reduce((value, wrap) => wrap(value), inner);
  const suites = (levels: number) => ({
    generator: 'Robot 7.5',
    rpa: false,
    suite: nest(levels, (inner) => ({ name: 's', suites: [inner], status: 'PASS' }), {
      name: 's',
      tests: [{ name: 'Deep', status: 'FAIL', body: [] }],
      status: 'FAIL',
    }),
  });
  const keywords = (levels: number) =>
    `<robot generator="Robot 7.5"><suite name="s"><test name="x">${'<kw name="k">'.repeat(levels)}${'</kw>'.repeat(levels)}<status status="FAIL">no</status></test><status status="FAIL"/></suite></robot>`;

  test('Suites of Robot Framework that are nested too deeply mark the report as incomplete, with a warning', async () => {
    expect(await outcomes(JSON.stringify(suites(30)))).toEqual(['failed']);
    const { truncated, warnings } = await parseBytes(JSON.stringify(suites(50)));
    expect(truncated).toBe(true);
    expect(warnings[0]?.message).toContain('nested too deeply, and are left out');
  });

  test('A test keeps its outcome if its keywords are nested too deeply, and a warning says that steps are missing', async () => {
    const file = await parseBytes(keywords(REPORT_LIMITS.elementDepth + 10));
    expect(toldBy(file).map(({ outcome }) => outcome)).toEqual(['failed']);
    expect(file.warnings[0]?.message).toContain('too large, and a part of it is left out');
  });
});

test('The errors of tests that wait for the end of the file are deducted from the limit of kept texts only once', async () => {
  const stack = 'at somewhere in the code of the shop\n'.repeat(800);
  const number = Math.ceil((REPORT_LIMITS.keptCharacters * 0.7) / stack.length);
  const results = count(
    number,
    (index) =>
      `<UnitTestResult testId="${index}" testName="t${index}" outcome="Failed"><Output><ErrorInfo><Message>no</Message><StackTrace>${stack}</StackTrace></ErrorInfo></Output></UnitTestResult>`,
  );
  const { instances } = await parseBytes(`<TestRun><Results>${results.join('')}</Results></TestRun>`);
  const errors = instances.flatMap(({ tests }) => tests.map(({ attempts }) => attempts[0]?.errors[0]?.stack));
  expect(errors).toHaveLength(number);
  expect(errors.every((one) => one !== null)).toBe(true);
});
