/** Describes the tests of a comparison: names and errors. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { signatureOf, testKeyOf } from '#shared/model/ids.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { displayedError } from '#shared/model/tests/attempt.ts';
import { instanceIn } from '#shared/model/tests/failures.ts';
import type { RecordedTest } from '#shared/model/tests/instance-details.ts';
import { isStub, type TestRecord, testRecords } from '#shared/model/tests/test-record.ts';
import type { Services } from '#shared/services.ts';
import type { ComparedTest, Verdict } from './comparison-wire.ts';
import { recordedTest } from './instance-details.ts';
import { loadInstance } from './load-instance.ts';
import type { MarkedTest } from './marked-tests.ts';

interface Shown {
  readonly verdict: Verdict;
  readonly test: MarkedTest;
}

/** A test as it was recorded. `finalAt` is in epoch milliseconds. Tests without a record of their own have none. */
type Known = RecordedTest & Pick<TestRecord, 'finalAt'>;

export type TestOf = (of: MarkedTest) => Known | undefined;

/** Describes one test. Returns an empty list for a test that was deleted meanwhile. The error is not cut. */
export function describeComparedTest(run: Run, testOf: TestOf, { verdict, test }: Shown): ComparedTest[] {
  const recorded = testOf(test);
  if (!recorded) return [];
  const { organizationId, projectId } = run;
  const { groupId, spec } = test;
  const { testId, title, attempts } = recorded;
  // A fixed test has a result in this run. Its name and its error are those of the base.
  const place = verdict === 'fixed' ? { runId: run.runId, instanceId: instanceIn(run, test) } : test;
  return [
    {
      runId: place.runId,
      instanceId: place.instanceId,
      testId,
      signature: signatureOf({ organizationId, projectId, spec, title }),
      title: [...title],
      spec,
      groupId,
      attempts: attempts.length,
      error: displayedError(attempts)?.message ?? null,
    },
  ];
}

/** Reads the records of the compared tests. Takes one round trip, and another one for skipped tests of uploads. */
export async function readComparedTests(
  services: Services,
  { organizationId }: Pick<Run, 'organizationId'>,
  tests: readonly MarkedTest[],
): Promise<TestOf> {
  const records = await services.table.getMany(testRecords, tests);
  const known = new Map<MarkedTest, Known>();
  for (const [index, test] of tests.entries()) {
    const record = records[index];
    if (record && !isStub(record))
      known.set(test, {
        ...recordedTest(record),
        ...(record.finalAt === undefined ? {} : { finalAt: record.finalAt }),
      });
  }
  // An upload stores no record for a skipped test without an error. The details of its spec file have it.
  const missing = tests.filter((test) => !known.has(test));
  const files = await mapConcurrently([...new Set(missing.map(({ instanceId }) => instanceId))], (instanceId) =>
    loadInstance(services, { organizationId, instanceId }),
  );
  const detailed = new Map(
    files.flatMap((file) =>
      (file?.details.tests ?? []).map((one) => [`${file?.details.instance.instanceId} ${testKeyOf(one.testId)}`, one]),
    ),
  );
  return (test) => known.get(test) ?? detailed.get(`${test.instanceId} ${test.testKey}`);
}
