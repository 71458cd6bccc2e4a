/** What is counted of the tests of an upload. */

import { deriveTestKey } from '#shared/model/ids.ts';
import { countRetries } from '#shared/model/results/attempt.ts';
import type { CountedTest } from '#shared/model/results/outcomes.ts';
import { isFlaky } from '#shared/results/executions/flaky.ts';
import type { ReportedTest } from './reported.ts';

export const toCountedTest = (test: ReportedTest): CountedTest => ({
  outcome: test.outcome,
  flaky: isFlaky({ ...test, reportedFlaky: test.flaky }),
  retries: countRetries(test.attempts),
});

export const mapCountedTests = (tests: readonly ReportedTest[]): Record<string, CountedTest> =>
  Object.fromEntries(tests.map((test) => [deriveTestKey(test.testId), toCountedTest(test)]));
