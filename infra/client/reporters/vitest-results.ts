/** The result of a test in Vitest, with its attempts. */
import type { SerializedError } from 'vitest';
import type { TestCase, TestModule, TestSuite } from 'vitest/node';
import { normalizeTags } from '#shared/reports/tags.ts';
import { isObject } from '../settings/json.ts';
import type { Attempt, FinishedTest } from './messages.ts';
import { listRuleTags } from './rules-of-project.ts';
import type { TestName } from './test-names.ts';
import { toTestError } from './vitest-errors.ts';
import { listAnnotations } from './vitest-files.ts';
import type { TestOutput } from './vitest-output.ts';
import type {} from './vitest-rules.ts';

/** Did not run or finish although nobody skipped it: because of a failed hook, `bail`, or the end of the test run. */
export function isStopped(test: TestCase): boolean {
  const result = test.result();
  if (result.state === 'pending') return true;
  return (
    result.state === 'skipped' && test.options.mode === 'run' && result.note === undefined && !hasSkippedItself(test)
  );
}

/** Vitest marks tests that call `context.skip()`, but only in a property that its types do not declare. */
const hasSkippedItself = (test: TestCase): boolean =>
  getMember(getMember(getMember(test, 'task'), 'result'), 'pending') === true;

const getMember = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

/** The innermost suite around a test, or else its file, that has errors of its own, such as a failed hook. */
export function findBrokenParent({ parent }: TestCase | TestSuite): TestModule | TestSuite | undefined {
  if (parent.errors().length > 0) return parent;
  return parent.type === 'suite' ? findBrokenParent(parent) : undefined;
}

export function toTestResult(test: TestCase, output: TestOutput | undefined): Omit<FinishedTest, keyof TestName> {
  const result = test.result();
  const { state } = result;
  const { annotations: ofRules = [], quarantined } = test.meta().rundown ?? {};
  const tags = normalizeTags([...(test.tags ?? []), ...listRuleTags(ofRules)]);
  const ownAnnotations = listAnnotations(test).map(({ type, message }) => ({ type, description: message }));
  const annotations = [...ownAnnotations, ...ofRules];
  const { startTime = 0, duration = 0 } = test.diagnostic() ?? {};
  if (quarantined) {
    // The errors in `test.attempts()` include their places in the source files. Vitest has had `attempts` since 5.1.
    const errors = test.attempts?.().at(-1)?.errors ?? quarantined;
    const attempt: Attempt = {
      state: 'pending',
      status: 'skipped',
      startTime: Math.round(startTime),
      duration: Math.round(duration),
      errors: errors.map(toTestError),
      ...getOutput(output),
    };
    return { state: 'pending', expectedStatus: 'skipped', attempts: [attempt], annotations, tags };
  }
  if (isStopped(test)) {
    const errors = findBrokenParent(test)?.errors().map(toTestError);
    const isInterrupted = state === 'pending' && test.diagnostic() !== undefined;
    const attempt: Attempt = {
      state: 'skipped',
      status: isInterrupted ? 'interrupted' : 'skipped',
      duration: 0,
      errors,
      ...(isInterrupted ? getOutput(output) : {}),
    };
    return { state: 'skipped', attempts: [attempt], annotations, tags };
  }
  if (state === 'skipped' || state === 'pending') {
    // The test was skipped on purpose, by its options or by `context.skip()`.
    const type = test.options.mode === 'todo' ? 'todo' : 'skip';
    const description = result.state === 'skipped' ? result.note : undefined;
    return {
      state: 'pending',
      expectedStatus: 'skipped',
      attempts: [{ state: 'pending', status: 'skipped', duration: Math.round(duration) }],
      annotations: [...annotations, { type, description }],
      tags,
    };
  }
  const expectedStatus = test.options.fails ? 'failed' : 'passed';
  const attempts = toAttempts(test, output);
  const fail = test.options.fails ? [{ type: 'fail' }] : [];
  return {
    state,
    isFlaky: state === 'passed' && attempts.length > 1 && attempts.some(({ status }) => status !== expectedStatus),
    expectedStatus,
    attempts,
    annotations: [...annotations, ...fail],
    tags,
  };
}

const getOutput = (output: TestOutput | undefined, from?: number, to?: number) => ({
  stdout: output?.stdout.between(from, to),
  stderr: output?.stderr.between(from, to),
});

interface Try {
  readonly state: 'passed' | 'failed';
  readonly errors: readonly SerializedError[];
  readonly startTime?: number | undefined;
  readonly duration: number;
}

function toAttempts(test: TestCase, output: TestOutput | undefined): Attempt[] {
  const tries = listTries(test);
  const areTimed = tries.every(({ startTime }) => startTime !== undefined);
  // Without times, the output belongs to the last failure, because that is where people look for it.
  const lastFailure = tries.findLastIndex(({ errors, state }) => errors.length > 0 || state === 'failed');
  const withOutput = lastFailure < 0 ? tries.length - 1 : lastFailure;
  return tries.map(({ state, errors, startTime, duration }, index) => {
    const isExpected = test.options.fails === true;
    const status = isExpected === (state === 'passed') ? 'failed' : 'passed';
    const from = index === 0 ? undefined : startTime;
    const tryOutput = areTimed ? getOutput(output, from, tries[index + 1]?.startTime) : getOutput(output);
    return {
      state: status,
      status,
      startTime: startTime === undefined ? undefined : Math.round(startTime),
      duration: Math.round(duration),
      errors: errors.map(toTestError),
      ...(areTimed || index === withOutput ? tryOutput : {}),
    };
  });
}

/** Vitest 3 and 4 run such a test until it does not throw. All tries but the last failed as expected: no retries. */
const willRepeatExpectedFailures = ({ options, project }: TestCase): boolean =>
  options.fails === true && Number.parseInt(project.vitest.version, 10) < 5;

/**
 * The tries of a test. Before 5.1, Vitest reports only the number of tries, all their errors without saying which try
 * had which error, and their total duration. The last try then gets the total duration, and the other tries get none.
 */
function listTries(test: TestCase): Try[] {
  const result = test.result();
  const state = result.state === 'passed' ? 'passed' : 'failed';
  const { errors = [] } = result;
  const { startTime, duration = 0, retryCount = 0 } = test.diagnostic() ?? {};
  const vitestAttempts: ReturnType<TestCase['attempts']> = test.attempts?.() ?? [];
  if (vitestAttempts.length > 0) {
    // `repeats` runs a test again although it passed. Only the tries of one repetition are retries.
    const shownRepetition = (vitestAttempts.findLast((one) => one.state === state) ?? vitestAttempts[0])?.repeatIndex;
    return vitestAttempts
      .filter(({ repeatIndex, state: attemptState }) => repeatIndex === shownRepetition && attemptState !== 'skipped')
      .map((one) => ({
        state: one.state === 'passed' ? 'passed' : 'failed',
        errors: one.errors ?? [],
        startTime: one.startTime,
        duration: one.duration,
      }));
  }
  if (willRepeatExpectedFailures(test)) {
    const last: Try = { state, errors: state === 'failed' ? errors.slice(-1) : errors, startTime, duration };
    const expectedTry: Try = { state: 'passed', errors: [], duration: 0 };
    // If the last try did not throw, the test failed because of it alone.
    return state === 'failed' ? [last] : [...Array.from({ length: retryCount }, () => expectedTry), last];
  }
  const failures = state === 'failed' ? retryCount + 1 : Math.max(1, retryCount);
  // Soft assertions give several errors in each try. Most tests fail in the same way each time, so the failed tries
  // get about the same number.
  const each = Math.max(1, Math.floor(errors.length / failures));
  return Array.from({ length: retryCount + 1 }, (_, index): Try => {
    const isLast = index === retryCount;
    return {
      state: isLast ? state : 'failed',
      errors: errors.slice(index * each, index === failures - 1 ? undefined : (index + 1) * each),
      duration: isLast ? duration : 0,
      ...(index === 0 ? { startTime } : {}),
    };
  });
}
