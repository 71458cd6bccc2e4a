/**
 * Merges the testcases of one pytest test. pytest-rerunfailures writes one empty testcase per failed attempt before the
 * last one. If a test and its teardown both fail, pytest writes two testcases, which become one attempt with two
 * errors.
 */
import { type FoundAttempt, type FoundTest, pickLastTest } from './found.ts';

const TEARDOWN = 'failed on teardown';

export function joinTries(rows: readonly FoundTest[]): FoundTest {
  const tries: FoundAttempt[] = [];
  for (const attempt of rows.flatMap(({ attempts }) => attempts)) {
    const before = tries.at(-1);
    const isTeardown = before?.state === 'failed' && attempt.errors[0]?.message.startsWith(TEARDOWN);
    if (before && isTeardown) {
      const errors = [...before.errors, ...attempt.errors];
      tries[tries.length - 1] = { ...before, errors, evidence: attempt.evidence ?? before.evidence };
    } else tries.push(attempt);
  }
  const attempts = tries.map(
    (one, index): FoundAttempt => (index < tries.length - 1 ? { ...one, state: 'failed', rawStatus: 'failed' } : one),
  );
  return { ...pickLastTest(rows), attempts };
}
