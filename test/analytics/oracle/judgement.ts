/** §2.1, §3 Derives flakiness, durations, displayed errors and the status of a run from the results that were sent. */
import { finalTests } from './selection.ts';
import type { SentError, SentInstance, SentRun, SentTest } from './sent.ts';

/**
 * Whether at least one attempt matched the expected status, and at least one did not. Skipped and interrupted attempts
 * do not count.
 */
export function isFlaky({ attempts, expectedStatus }: SentTest): boolean {
  const executed = attempts.filter(({ status }) => status !== 'skipped' && status !== 'interrupted');
  return (
    executed.some(({ status }) => status === expectedStatus) && executed.some(({ status }) => status !== expectedStatus)
  );
}

/** The duration of all attempts together. `null` if the last attempt was interrupted. */
export function durationOf({ attempts }: SentTest): number | null {
  if (attempts.at(-1)?.status === 'interrupted') return null;
  let total = 0;
  for (const { duration } of attempts) total += duration;
  return total;
}

/** The error of the last attempt that has one. Only failed and flaky tests show it. */
export function displayError(test: SentTest): SentError | null {
  if (test.outcome !== 'failed' && !isFlaky(test)) return null;
  let last: SentError | null = null;
  for (const { error } of test.attempts) last = error ?? last;
  return last;
}

export const isRed = ({ outcome }: SentTest): boolean => outcome === 'failed' || outcome === 'skipped';

export const isFullyReported = (instance: SentInstance): boolean =>
  instance.expected > 0 && finalTests(instance).length >= instance.expected;

/**
 * The time from the first start to the last end of an attempt. It includes gaps between attempts, which are short in
 * generated runs. `null` if no attempt has a start.
 */
export function wallClockOf({ tests }: SentInstance): number | null {
  let first: number | null = null;
  let last: number | null = null;
  for (const { attempts } of tests) {
    for (const { startedAt, duration } of attempts) {
      if (startedAt === null) continue;
      if (first === null || startedAt < first) first = startedAt;
      if (last === null || startedAt + duration > last) last = startedAt + duration;
    }
  }
  return first === null || last === null ? null : last - first;
}

/**
 * The status of an ended run. PASSED needs at least one result, and no result that is failed or skipped. After a
 * timeout, every expected result must also have arrived.
 */
export function statusOf({ instances, ending }: SentRun): 'PASSED' | 'FAILED' {
  const tests = instances.flatMap(finalTests);
  if (tests.length === 0 || tests.some(isRed)) return 'FAILED';
  return ending === 'TIMEOUT' && !instances.every(isFullyReported) ? 'FAILED' : 'PASSED';
}
