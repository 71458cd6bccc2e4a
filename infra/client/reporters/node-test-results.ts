/** Builds the results of tests from the events of node:test. */
import type { Attempt, FinishedTest, TestError } from './messages.ts';
import { toTestErrors } from './node-test-errors.ts';
import { deriveEnding, type EventData, listAnnotations } from './node-test-events.ts';
import type { EndedTest } from './node-test-frames.ts';
import type { LostTest } from './node-test-open-tests.ts';
import type { TestName } from './test-names.ts';

export type TestResult = Omit<FinishedTest, keyof TestName>;

/** `errors`: why the test failed, if it was not for its own error. */
export function buildTestResult(
  { spec, data, isPassed, startedAt }: EndedTest,
  errors: readonly TestError[] | undefined,
): TestResult {
  const { skip, todo, expectFailure, tags } = data;
  const ending = deriveEnding(data, isPassed);
  const hasExpectedFailure = isPassed && expectFailure !== undefined && expectFailure !== false;
  const duration = getDuration(data);
  const attempt: Attempt = {
    ...(hasExpectedFailure ? FAILED : ending),
    startTime: startedAt ?? Date.now() - duration,
    duration,
    errors: isPassed ? [] : (errors ?? toTestErrors(data, spec)),
  };
  return {
    state: ending.state,
    attempts: [attempt],
    expectedStatus: getExpectedStatus(data, ending.state),
    annotations: [
      ...listAnnotations('skip', skip),
      ...listAnnotations('todo', todo),
      ...listAnnotations('fail', expectFailure),
    ],
    tags,
  };
}

const FAILED = { state: 'failed', status: 'failed' } as const;

function getExpectedStatus({ expectFailure }: EventData, state: FinishedTest['state']): string {
  if (expectFailure) return 'failed';
  return state === 'pending' ? 'skipped' : 'passed';
}

/** The result of a test that never ended. */
export const buildLostResult = ({ data, startedAt }: LostTest, reason: string): TestResult => ({
  state: 'skipped',
  attempts: [{ state: 'skipped', status: 'skipped', startTime: startedAt, duration: 0, errors: [{ message: reason }] }],
  tags: data.tags,
});

/** The result of the process of a test file. `failure` is absent if it passed. */
export function buildProcessResult(
  data: EventData,
  failure: { readonly errors: readonly TestError[]; readonly output: string } | undefined,
): TestResult {
  const state = failure ? 'failed' : 'passed';
  const duration = getDuration(data);
  const facts = failure && { errors: failure.errors, stdout: [failure.output] };
  return { state, attempts: [{ state, status: state, startTime: Date.now() - duration, duration, ...facts }] };
}

/** In whole milliseconds. */
const getDuration = ({ details }: EventData): number => Math.round(details?.duration_ms ?? 0);
