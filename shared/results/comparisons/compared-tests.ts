/** Reads the tests that a comparison shows, and describes them. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { deriveSignature, deriveTestKey } from '#shared/model/ids.ts';
import { findDisplayedError } from '#shared/model/results/attempt.ts';
import { deriveInstanceIdInRun } from '#shared/model/results/failures.ts';
import type { RecordedTest } from '#shared/model/results/instance-details.ts';
import { isStub, type TestRecord, testRecords } from '#shared/model/results/test-record.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import type { MarkedTest } from '../failures/marked-tests.ts';
import { toRecordedTest } from '../instances/instance-details.ts';
import { loadInstance } from '../instances/load-instance.ts';
import type { ComparedTest, Verdict } from './comparison-wire.ts';

/** `finalAt` is in epoch milliseconds. It is absent for a test without a record of its own. */
type ComparedRecord = RecordedTest & Pick<TestRecord, 'finalAt'>;

export type TestOf = (test: MarkedTest) => ComparedRecord | undefined;

interface SectionTest {
  readonly verdict: Verdict;
  readonly test: MarkedTest;
  readonly cause: string | undefined;
}

/** Returns an empty list for a test that has been deleted in the meantime. The error is not shortened. */
export function describeComparedTest(run: Run, testOf: TestOf, { verdict, test, cause }: SectionTest): ComparedTest[] {
  const record = testOf(test);
  if (!record) return [];
  const { organizationId, projectId } = run;
  const { groupId, spec } = test;
  const { testId, title, attempts } = record;
  // For a fixed test, the name, the attempts and the error are taken from the base, but `runId` and `instanceId` lead
  // to its result in this run.
  const place = verdict === 'fixed' ? { runId: run.runId, instanceId: deriveInstanceIdInRun(run, test) } : test;
  return [
    {
      runId: place.runId,
      instanceId: place.instanceId,
      testId,
      signature: deriveSignature({ organizationId, projectId, spec, title }),
      title: [...title],
      spec,
      groupId,
      attempts: attempts.length,
      error: findDisplayedError(attempts)?.message ?? null,
      cause,
    },
  ];
}

/** Reads the records of the compared tests. Takes one round trip, and one more for skipped tests of uploads. */
export async function readComparedTests(
  services: Services,
  { organizationId }: Pick<Run, 'organizationId'>,
  tests: readonly MarkedTest[],
): Promise<TestOf> {
  if (tests.length === 0) return () => undefined;
  const records = await services.table.getMany(testRecords, tests);
  const recordByTest = new Map<MarkedTest, ComparedRecord>();
  for (const [index, test] of tests.entries()) {
    const record = records[index];
    if (record && !isStub(record)) recordByTest.set(test, { ...toRecordedTest(record), finalAt: record.finalAt });
  }
  // An upload stores no record for a skipped test without an error, so the test is read from the details of its spec
  // file.
  const missingTests = tests.filter((test) => !recordByTest.has(test));
  const instanceIds = [...new Set(missingTests.map(({ instanceId }) => instanceId))];
  const files = await mapConcurrently(instanceIds, (instanceId) =>
    loadInstance(services, { organizationId, instanceId }),
  );
  const detailsByTest = new Map<string, RecordedTest>();
  for (const [index, file] of files.entries())
    for (const test of file?.details.tests ?? [])
      detailsByTest.set(`${instanceIds[index]} ${deriveTestKey(test.testId)}`, test);
  return (test) => recordByTest.get(test) ?? detailsByTest.get(`${test.instanceId} ${test.testKey}`);
}
