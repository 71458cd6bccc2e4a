/**
 * Merges the testcases of one pytest test. pytest-rerunfailures writes one empty testcase per failed attempt before the
 * last one. If a test and its teardown both fail, pytest writes two testcases, which become one attempt with two
 * errors.
 */
import { type FoundAttempt, type FoundTest, lastOf } from './found.ts';

const TEARDOWN = 'failed on teardown';

export function joinTries(rows: readonly FoundTest[]): FoundTest {
  const tries: FoundAttempt[] = [];
  for (const attempt of rows.flatMap(({ attempts }) => attempts)) {
    const before = tries.at(-1);
    const isTeardown = before?.state === 'failed' && attempt.errors[0]?.message.startsWith(TEARDOWN);
    if (before && isTeardown) tries[tries.length - 1] = withErrors(before, attempt);
    else tries.push(attempt);
  }
  const last = lastOf(rows);
  return { ...last, attempts: tries.map((one, index) => (index < tries.length - 1 ? failed(one) : one)) };
}

const withErrors = (before: FoundAttempt, teardown: FoundAttempt): FoundAttempt => ({
  ...before,
  errors: [...before.errors, ...teardown.errors],
  evidence: teardown.evidence ?? before.evidence,
});

const failed = (attempt: FoundAttempt): FoundAttempt => ({ ...attempt, state: 'failed', rawStatus: 'failed' });
