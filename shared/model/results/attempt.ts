/** An attempt at a test, as the service stores it. */
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { RecordedTestOutcome } from './outcomes.ts';

interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface AttemptError {
  readonly message: string;
  readonly stack: string | null;
  readonly location: Location | null;
  readonly snippet: string | null;
}

/** What a runner says about an attempt, and the service stores and shows as it is. */
export interface AttemptFacts {
  readonly workerIndex: number;
  readonly parallelIndex: number;
}

/** What is not listed here never reaches a row or an answer. */
export const pickFacts = ({ workerIndex = -1, parallelIndex = -1 }: Partial<AttemptFacts>): AttemptFacts => ({
  workerIndex,
  parallelIndex,
});

export interface Attempt extends AttemptFacts {
  /** The index of the attempt, counted from 0. */
  readonly attempt: number;
  readonly state: RecordedTestOutcome;
  /** The status in the terms of the runner, such as `timedOut` or `interrupted`. */
  readonly rawStatus: string;
  /** The start of the attempt, in epoch milliseconds. `null` if the runner reported none. */
  readonly startedAt: number | null;
  /** The duration in milliseconds. */
  readonly duration: number;
  readonly errors: readonly AttemptError[];
}

export interface Annotation {
  readonly type: string;
  readonly description: string | null;
}

export const sumDurations = (attempts: readonly Attempt[]): number =>
  attempts.reduce((total, { duration }) => total + Math.max(0, duration), 0);

/** The first error of the last attempt with an error. */
export const findDisplayedError = (attempts: readonly Attempt[]): AttemptError | undefined =>
  listDisplayedErrors(attempts)[0];

/** All errors of the attempt whose first error is displayed. */
export const listDisplayedErrors = (attempts: readonly Attempt[]): readonly AttemptError[] =>
  attempts.findLast(({ errors }) => errors.length > 0)?.errors ?? [];

/** By the declared status, or if the test body calls `test.fail()`, which is visible only as an annotation. */
export const expectsFailure = (expectedStatus: string, annotations: readonly Annotation[]): boolean =>
  expectedStatus === 'failed' || annotations.some(({ type }) => type === 'fail');

/** Attempts that passed although a failure was expected. Test runners report no error for them. */
export function addErrorsOfPasses<One extends Pick<Attempt, 'rawStatus' | 'errors'>>(
  attempts: readonly One[],
  isFailureExpected: boolean,
): readonly One[] {
  if (!isFailureExpected) return attempts;
  return attempts.map((attempt) => {
    const hasPassed = attempt.rawStatus === 'passed' && attempt.errors.length === 0;
    return hasPassed ? { ...attempt, errors: [UNEXPECTED_PASS] } : attempt;
  });
}

const UNEXPECTED_PASS: AttemptError = {
  message: 'Expected to fail, but passed.',
  stack: null,
  location: null,
  snippet: null,
};

/** If a failed hook or test keeps a test from running, Playwright reports a skipped result without a worker. */
export const hasRun = ({ workerIndex = -1, rawStatus }: Partial<Attempt> & Pick<Attempt, 'rawStatus'>): boolean =>
  workerIndex >= 0 || rawStatus !== 'skipped';

/** Attempts that did not run do not count. */
export const countRetries = (attempts: readonly Attempt[]): number => Math.max(0, attempts.filter(hasRun).length - 1);

/** In epoch milliseconds. `null` if no attempt has a start. */
export function computeTimeSpan(attempts: Iterable<Attempt>): {
  readonly start: number | null;
  readonly end: number | null;
} {
  let start: number | null = null;
  let end: number | null = null;
  for (const { startedAt, duration } of attempts) {
    if (startedAt === null) continue;
    start = Math.min(start ?? startedAt, startedAt);
    end = Math.max(end ?? startedAt, startedAt + duration);
  }
  return { start, end };
}

/** A duration that was reduced to the maximum is not a measurement. */
export const isMeasured = (attempts: readonly Attempt[]): boolean =>
  attempts.every(({ duration }) => duration < MODEL_LIMITS.attemptMilliseconds);

/**
 * The time in milliseconds during which attempts ran, including pauses between them. Only a part of a long pause is
 * counted, because long pauses are caused by machines whose clocks differ. `undefined` if no attempt has a start, or if
 * a duration is implausible.
 */
export function computeBusyTime(attempts: readonly Attempt[]): number | undefined {
  if (!isMeasured(attempts)) return undefined;
  const spans = attempts.flatMap(({ startedAt, duration }) =>
    startedAt === null ? [] : [{ start: startedAt, end: startedAt + duration }],
  );
  spans.sort((one, other) => one.start - other.start);
  let milliseconds = 0;
  let last: number | undefined;
  for (const { start, end } of spans) {
    const before: number = last ?? start;
    milliseconds += Math.min(Math.max(0, start - before), MODEL_LIMITS.pauseMilliseconds);
    milliseconds += Math.max(0, end - Math.max(start, before));
    last = Math.max(before, end);
  }
  return last === undefined ? undefined : milliseconds;
}
