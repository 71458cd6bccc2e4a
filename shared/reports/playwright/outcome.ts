/** The outcome of a Playwright test from the statuses of its results, as Playwright derives it. */
import { hasRun } from '#shared/model/tests/attempt.ts';
import type { RecordedTestOutcome } from '#shared/model/tests/outcomes.ts';
import type { FoundAttempt, FoundTest } from '#shared/reports/found.ts';

/** The attempts that ran. A test that has none keeps its last result. */
export function ranAttempts<One extends FoundAttempt>(results: readonly One[]): readonly One[] {
  const ran = results.filter(hasRun);
  return ran.length > 0 ? ran : results.slice(-1);
}

/** Stands in for the result of a test that had not run yet when the run was interrupted. */
export const NEVER_RAN: FoundAttempt = {
  state: 'skipped',
  rawStatus: 'skipped',
  startedAt: null,
  duration: 0,
  workerIndex: -1,
  parallelIndex: -1,
  errors: [],
};

/** An attempt is good when its status equals the expected one. A time-out never equals `failed`. */
export function outcomeOf(
  results: readonly { readonly status: string }[],
  expected: string,
): Pick<FoundTest, 'outcome' | 'flaky'> {
  const ran = results.filter(({ status }) => status !== 'interrupted' && status !== 'skipped');
  if (ran.length === 0) return { outcome: expected === 'skipped' ? 'pending' : 'skipped', flaky: false };
  const good = ran.filter(({ status }) => status === expected).length;
  if (good === 0) return { outcome: 'failed', flaky: false };
  return { outcome: 'passed', flaky: good < ran.length };
}

/** Statuses come from a file, so they may be anything. */
export function playwrightOutcomeOf(status: string, expected: string): RecordedTestOutcome {
  if (status === 'passed') return 'passed';
  if (status === 'skipped') return expected === 'skipped' ? 'pending' : 'skipped';
  return status === 'interrupted' ? 'skipped' : 'failed';
}

/** Group of a Playwright project without a name, as the streaming reporter calls it. */
export const UNNAMED_PROJECT = 'project';
