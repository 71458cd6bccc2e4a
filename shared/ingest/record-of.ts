import { deriveTestKey } from '#shared/model/ids.ts';
import type { TestRecord } from '#shared/model/results/test-record.ts';
import { buildExecution, type ExecutionParents } from './execution-of.ts';
import type { ReportedTest } from './reported.ts';

export const buildTestRecord = (
  parents: ExecutionParents,
  test: ReportedTest,
  progress: Pick<TestRecord, 'sequence' | 'done' | 'finals'> &
    Partial<Pick<TestRecord, 'finalAt' | 'heardAt' | 'expectedTests' | 'watched' | 'uploaded' | 'further'>>,
): TestRecord => ({
  ...buildExecution(parents, test),
  organizationId: parents.instance.organizationId,
  instanceId: parents.instance.instanceId,
  testKey: deriveTestKey(test.testId),
  expectedStatus: test.expectedStatus,
  reported: { outcome: test.outcome, flaky: test.flaky },
  attempts: test.attempts,
  annotations: test.annotations,
  testTags: test.tags,
  expiry: parents.run.expiry,
  ...progress,
});
