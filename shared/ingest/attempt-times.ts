/** Times of attempts, as measured by the clocks of machines. */
import { type Attempt, computeBusyTime } from '#shared/model/tests/attempt.ts';
import type { RecordedTest } from '#shared/model/tests/instance-details.ts';
import { INGEST_LIMITS } from './limits.ts';
import type { ReportedTest } from './reported.ts';

/**
 * The start in epoch milliseconds, or `null` if it is so far from the server's time that the clock of the machine must
 * be wrong.
 */
export function plausibleStart(start: number, now: number): number | null {
  const { oldestStartMilliseconds, newestStartMilliseconds } = INGEST_LIMITS;
  return start > now - oldestStartMilliseconds && start < now + newestStartMilliseconds ? Math.trunc(start) : null;
}

export const withPlausibleStarts = (attempts: readonly Attempt[], now: number): Attempt[] =>
  attempts.map((attempt) => ({
    ...attempt,
    startedAt: attempt.startedAt === null ? null : plausibleStart(attempt.startedAt, now),
  }));

/**
 * The earliest start of uploaded tests in epoch milliseconds, or `undefined` if no attempt has a start. Tests finish
 * before they are uploaded, so the result is never later than the current time minus their duration, even if the clock
 * of the machine is ahead.
 */
export function startOfTests(tests: readonly Pick<ReportedTest, 'attempts'>[], now: number): number | undefined {
  const attempts = tests.flatMap((test) => test.attempts);
  const starts = attempts.flatMap(({ startedAt }) => startedAt ?? []);
  if (starts.length === 0) return undefined;
  return starts.reduce((first, start) => Math.min(first, start), now - (computeBusyTime(attempts) ?? 0));
}

/** The latest end of uploaded tests in epoch milliseconds, or `undefined` if no attempt has a start. */
export const endOfTests = (tests: readonly RecordedTest[]): number | undefined => {
  const attempts = tests.flatMap((test) => test.attempts);
  const ends = attempts.flatMap(({ startedAt, duration }) => (startedAt === null ? [] : startedAt + duration));
  return ends.length > 0 ? ends.reduce((last, end) => Math.max(last, end)) : undefined;
};
