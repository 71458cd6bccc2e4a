/** Derives the outcome of a Playwright test from the statuses of its results, in the same way as Playwright does. */
import { hasRun } from '#shared/model/tests/attempt.ts';
import type { RecordedTestOutcome } from '#shared/model/tests/outcomes.ts';
import type { FoundAttempt, FoundTest } from '#shared/reports/found.ts';

/** Returns the attempts that ran. If none did, returns the last result. */
export function ranAttempts<One extends FoundAttempt>(results: readonly One[]): readonly One[] {
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

/**
 * Derives the outcome of a test. An attempt counts as successful if its status equals the expected status. A timeout
 * has a status of its own, so it is never an expected failure. A test that failed and then skipped itself in a retry is
 * flaky.
 */
export function outcomeOf(
  results: readonly { readonly status: string }[],
  expected: string,
): Pick<FoundTest, 'outcome' | 'flaky'> {
  const ran = results.filter(({ status }) => status !== 'interrupted' && status !== 'skipped');
  if (ran.length === 0) return { outcome: expected === 'skipped' ? 'pending' : 'skipped', flaky: false };
  const good = ran.filter(({ status }) => status === expected).length;
  const skippedItself = expected === 'skipped' && results.some(({ status }) => status === 'skipped');
  if (good === 0 && !skippedItself) return { outcome: 'failed', flaky: false };
  return { outcome: 'passed', flaky: good < ran.length };
}

/** Derives the outcome of one attempt. The status comes from a file, so it may be any text. */
export function playwrightOutcomeOf(status: string, expected: string): RecordedTestOutcome {
  if (status === 'passed') return 'passed';
  if (status === 'skipped') return expected === 'skipped' ? 'pending' : 'skipped';
  return status === 'interrupted' ? 'skipped' : 'failed';
}
