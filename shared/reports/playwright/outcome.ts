/** Derives the outcome of a Playwright test from the statuses of its results, in the same way as Playwright does. */
import { hasRun } from '#shared/model/results/attempt.ts';
import type { RecordedTestOutcome } from '#shared/model/results/outcomes.ts';
import type { FoundAttempt, FoundTest } from '#shared/reports/found.ts';

/** If none ran, returns the last result. */
export function pickRanAttempts<One extends FoundAttempt>(results: readonly One[]): readonly One[] {
  const ran = results.filter(hasRun);
  return ran.length > 0 ? ran : results.slice(-1);
}

/** The only attempt of a test without results, for example because the run was interrupted before the test ran. */
export const NEVER_RAN: FoundAttempt = {
  state: 'skipped',
  rawStatus: 'skipped',
  startedAt: null,
  duration: 0,
  workerIndex: -1,
  parallelIndex: -1,
  errors: [],
};

/** A timeout has its own status, so it is no expected failure. A failed test that skips itself in a retry is flaky. */
export function deriveTestOutcome(
  results: readonly { readonly status: string }[],
  expectedStatus: string,
): Pick<FoundTest, 'outcome' | 'flaky'> {
  const ran = results.filter(({ status }) => status !== 'interrupted' && status !== 'skipped');
  if (ran.length === 0) return { outcome: expectedStatus === 'skipped' ? 'pending' : 'skipped', flaky: false };
  const successCount = ran.filter(({ status }) => status === expectedStatus).length;
  const skippedItself = expectedStatus === 'skipped' && results.some(({ status }) => status === 'skipped');
  if (successCount === 0 && !skippedItself) return { outcome: 'failed', flaky: false };
  return { outcome: 'passed', flaky: successCount < ran.length };
}

/** The status comes from a file, so it may be any text. */
export function deriveAttemptOutcome(status: string, expectedStatus: string): RecordedTestOutcome {
  if (status === 'passed') return 'passed';
  if (status === 'skipped') return expectedStatus === 'skipped' ? 'pending' : 'skipped';
  return status === 'interrupted' ? 'skipped' : 'failed';
}
