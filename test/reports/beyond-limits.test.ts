import { describe, expect, test } from 'vitest';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { parseBytes, toldBy } from './samples.ts';

const outcomes = async (report: string) => toldBy(await parseBytes(report)).map(({ outcome }) => outcome);
const lines = (values: readonly object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const count = <One>(number: number, make: (index: number) => One): One[] =>
  Array.from({ length: number }, (_, index) => make(index));
test('A failed step of a Cucumber scenario counts, even if it comes after more steps than are kept', async () => {
  const steps = count(REPORT_LIMITS.stepsPerTest + 10, (index) => ({
    testStepFinished: {
      testCaseStartedId: 's',
      testStepResult: { status: index === REPORT_LIMITS.stepsPerTest + 5 ? 'FAILED' : 'PASSED' },
    },
  }));
  const report = lines([
    { meta: { protocolVersion: '24' } },
    { pickle: { id: 'p', uri: 'cart.feature', name: 'adds', astNodeIds: [], tags: [], steps: [] } },
    { testCase: { id: 'c', pickleId: 'p', testSteps: [] } },
    { testCaseStarted: { id: 's', testCaseId: 'c' } },
    ...steps,
    { testCaseFinished: { testCaseStartedId: 's' } },
    { testRunFinished: { success: false } },
  ]);
  expect(await outcomes(report)).toEqual(['failed']);
});

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
