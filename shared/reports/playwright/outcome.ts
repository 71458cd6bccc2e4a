/** The outcome of a Playwright test from the statuses of its results, as Playwright derives it. */
import type { RecordedTestOutcome } from '#shared/model/outcomes.ts';
import type { FoundAttempt, FoundTest } from '#shared/reports/found.ts';

interface Result {
  readonly status: string;
  readonly workerIndex: number;
}

/** Results without a worker never ran. A test that has no others keeps one of them. */
export function ranResults<One extends Pick<Result, 'workerIndex'>>(results: readonly One[]): readonly One[] {
  const ran = results.filter(({ workerIndex }) => workerIndex >= 0);
  return ran.length > 0 ? ran : results.slice(-1);
}

/** An attempt is good when its status equals the expected one. A time-out never equals `failed`. */
export function outcomeOf(
  results: readonly Pick<Result, 'status'>[],
  expected: string,
): Pick<FoundTest, 'outcome' | 'flaky'> {
  const ran = results.filter(({ status }) => status !== 'interrupted' && status !== 'skipped');
  if (ran.length === 0) return { outcome: expected === 'skipped' ? 'pending' : 'skipped', flaky: false };
  const good = ran.filter(({ status }) => status === expected).length;
  if (good === 0) return { outcome: 'failed', flaky: false };
  return { outcome: 'passed', flaky: good < ran.length };
}

/** Statuses come from a file, so they may be anything. */
export function stateOf(status: string, expected: string): RecordedTestOutcome {
  if (status === 'passed') return 'passed';
  if (status === 'skipped') return expected === 'skipped' ? 'pending' : 'skipped';
  return status === 'interrupted' ? 'skipped' : 'failed';
}

const UNEXPECTED_PASS = 'Expected to fail, but passed.';

/** An unexpected pass has no error of its own. */
export function withErrorOfPass(attempt: FoundAttempt, expected: string): FoundAttempt {
  if (expected !== 'failed' || attempt.rawStatus !== 'passed' || attempt.errors.length > 0) return attempt;
  return { ...attempt, errors: [{ message: UNEXPECTED_PASS, stack: null, location: null, snippet: null }] };
}

/** Tests of a project without a name. The streaming reporter calls it so. */
export const UNNAMED_PROJECT = 'project';
