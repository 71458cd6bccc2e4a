/** Times of attempts, which the clocks of machines measured. */
import { type Attempt, busyTime } from '#shared/model/tests/attempt.ts';
import type { RecordedTest } from '#shared/model/tests/instance-details.ts';
import { INGEST_LIMITS } from './limits.ts';
import type { ReportedTest } from './reported.ts';

/** A start in milliseconds. `null` if it is so far from the time of the server that the clock of the machine is wrong. */
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
 * The first start of uploaded tests in milliseconds. `undefined` if no attempt has a start. Tests run before they are
 * uploaded, so a later start comes from a clock that is ahead.
 */
export function startOfTests(tests: readonly Pick<ReportedTest, 'attempts'>[], now: number): number | undefined {
  const attempts = tests.flatMap((test) => test.attempts);
  const starts = attempts.flatMap(({ startedAt }) => startedAt ?? []);
  if (starts.length === 0) return undefined;
  return starts.reduce((first, start) => Math.min(first, start), now - (busyTime(attempts) ?? 0));
}

/** The last end of uploaded tests in milliseconds. */
export const endOfTests = (tests: readonly RecordedTest[]): number | undefined => {
  const attempts = tests.flatMap((test) => test.attempts);
  const ends = attempts.flatMap(({ startedAt, duration }) => (startedAt === null ? [] : startedAt + duration));
  return ends.length > 0 ? ends.reduce((last, end) => Math.max(last, end)) : undefined;
};
