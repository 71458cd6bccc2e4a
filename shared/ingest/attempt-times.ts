/** Times of attempts, as measured by the clocks of machines. */
import { type Attempt, computeBusyTime } from '#shared/model/results/attempt.ts';
import type { RecordedTest } from '#shared/model/results/instance-details.ts';
import { INGEST_LIMITS } from './limits.ts';
import type { ReportedTest } from './reported.ts';

/** Returns `null` if the start is so far from the server's time that the clock of the machine must be wrong. */
export function toPlausibleStart(start: number, now: number): number | null {
  const { oldestStartMilliseconds, newestStartMilliseconds } = INGEST_LIMITS;
  return start > now - oldestStartMilliseconds && start < now + newestStartMilliseconds ? Math.trunc(start) : null;
}

export const keepPlausibleStarts = (attempts: readonly Attempt[], now: number): Attempt[] =>
  attempts.map((attempt) => ({
    ...attempt,
    startedAt: attempt.startedAt === null ? null : toPlausibleStart(attempt.startedAt, now),
  }));

/**
 * In epoch milliseconds, or `undefined` if no attempt has a start. Tests finish before they are uploaded, so the result
 * is never later than the current time minus their duration, even if the clock of the machine is ahead.
 */
export function findFirstStart(tests: readonly Pick<ReportedTest, 'attempts'>[], now: number): number | undefined {
  const attempts = tests.flatMap((test) => test.attempts);
  const starts = attempts.flatMap(({ startedAt }) => startedAt ?? []);
  if (starts.length === 0) return undefined;
  return starts.reduce((first, start) => Math.min(first, start), now - (computeBusyTime(attempts) ?? 0));
}

/** In epoch milliseconds, or `undefined` if no attempt has a start. */
export const findLastEnd = (tests: readonly RecordedTest[]): number | undefined => {
  const attempts = tests.flatMap((test) => test.attempts);
  const ends = attempts.flatMap(({ startedAt, duration }) => (startedAt === null ? [] : startedAt + duration));
  return ends.length > 0 ? ends.reduce((last, end) => Math.max(last, end)) : undefined;
};
