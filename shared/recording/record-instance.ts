/**
 * Writes one finished instance of a batch upload: counters, history, errors and details. Idempotent: a repeated upload
 * rewrites the same rows.
 */
import { type Delete, type Put, put, remove } from '#shared/engine/table/writes.ts';
import { executionOf, findParents, type Parents } from '#shared/ingest/execution-of.ts';
import { addToTally, type Before, claimForUpload } from '#shared/ingest/keep-upload.ts';
import { outdatedFailures } from '#shared/ingest/outdated-failures.ts';
import { historyOfRecords } from '#shared/ingest/remove-instance.ts';
import { outdatedRows, resultRows } from '#shared/ingest/result-rows.ts';
import { noteFailedTest } from '#shared/lifecycle/fail-run.ts';
import { reviewInstance } from '#shared/lifecycle/review-instance.ts';
import { displayedError } from '#shared/model/attempt.ts';
import { evidenceParts } from '#shared/model/evidence.ts';
import { markOf } from '#shared/model/failures.ts';
import { instanceIdOf, recordIdOf, testKeyOf } from '#shared/model/ids.ts';
import { tagsToCount } from '#shared/model/instance.ts';
import type { RecordedTest } from '#shared/model/instance-details.ts';
import { type CountedTest, isFailure, leavesEvidence } from '#shared/model/outcomes.ts';
import type { Run } from '#shared/model/run.ts';
import { mergeTags } from '#shared/model/tags.ts';
import { type KeptRow, type TestRecord, testRecords } from '#shared/model/test-record.ts';
import { isFlaky } from '#shared/results/flaky.ts';
import { retriesOf } from '#shared/results/outcome.ts';
import type { Services } from '#shared/services.ts';
import { endOf, startOf } from './attempt-times.ts';
import type { BatchInstance } from './batch-wire.ts';
import { evidenceIn } from './evidence-wire.ts';
import type { BatchTest } from './test-wire.ts';

interface Upload {
  readonly run: Run;
  readonly sent: BatchInstance;
  readonly machineId: string;
  readonly requestKey: string;
}

export async function recordInstance(services: Services, { run, sent, machineId, requestKey }: Upload): Promise<void> {
  const { groupId, spec, results } = sent;
  const tests = results.tests.map(({ test }) => test);
  const { organizationId, runId } = run;
  const instanceId = instanceIdOf({ runId, groupId, spec });
  const key = { organizationId, runId, instanceId, groupId, spec, expiry: run.expiry };
  const before = await addToTally(services, key, {
    results: Object.fromEntries(tests.map((test) => [testKeyOf(test.testId), countedOf(test)])),
    testTags: tests.flatMap(({ tags }) => tagsToCount(tags)),
  });
  await claimForUpload(services, key, { key: requestKey, machineId, at: startOf(tests) ?? run.createdAt });
  const parents = await findParents(services, key, groupId);
  if (!parents) throw new Error(`The instance ${key.instanceId} that was just written does not exist`);
  await services.table.writeMany([
    ...streamedHistory(parents, before),
    ...(isFirst(before) ? [] : await outdatedFailures(services, key, marksOf(tests))),
    ...results.tests.flatMap(({ test, sent }) => rowsOf(parents, before, test, sent)),
  ]);
  if (tests.some(({ state }) => isFailure(state))) await noteFailedTest(services, run);
  await reviewInstance(services, key, {
    tests: tests.map((test) => recordedTest(parents, test)),
    // An upload may come days after its tests, so their own times count.
    endOf: (all) => endOf(all) ?? services.now(),
  });
}

const countedOf = (test: BatchTest): CountedTest => ({
  outcome: test.state,
  flaky: isFlaky({ ...test, outcome: test.state, reportedFlaky: test.isFlaky }),
  retries: retriesOf(test.attempts),
});

/**
 * Deletes the history of streamed tests that the upload replaces. Its time differs, and each test has one history row
 * per run.
 */
const streamedHistory = ({ instance }: Parents, { records }: Before): Delete[] =>
  historyOfRecords(
    instance.organizationId,
    records.filter(({ finalAt }) => finalAt !== instance.recordedAt),
  );

const isFirst = ({ wasUploaded, records }: Before): boolean => !wasUploaded && records.length === 0;

const marksOf = (tests: readonly BatchTest[]) =>
  new Map(tests.map((test) => [testKeyOf(test.testId), markOf(countedOf(test))] as const));

const LEFT_BY_EARLIER: readonly KeptRow[] = ['copy', 'evidence'];

/** The rows of one test. A test record is stored only if the test has errors or evidence. */
function rowsOf(parents: Parents, before: Before, test: BatchTest, sent: unknown): (Put | Delete)[] {
  const counted = { ...countedOf(test), expectedStatus: test.expectedStatus };
  const record = recordOf(parents, test);
  const rows = resultRows({ record, counted, evidence: () => evidenceIn(sent) });
  // An earlier upload or stream may have left rows that are now outdated. `outdatedFailures` finds its marks.
  const wasFinal = !isFirst(before);
  const outdated = wasFinal ? LEFT_BY_EARLIER.filter((kind) => !rows.kept.includes(kind)) : [];
  const keepsRecord = displayedError(test.attempts) !== undefined || leavesEvidence(counted);
  const hasRow = wasFinal || before.stubs.includes(record.testKey);
  return [
    ...rows.puts,
    ...rows.moreEvidence.map((part) => put(evidenceParts, part)),
    ...(keepsRecord ? [put(testRecords, { ...record, kept: rows.kept })] : hasRow ? [remove(testRecords, record)] : []),
    ...outdatedRows(record, rows.history, outdated),
  ];
}

function recordOf(parents: Parents, test: BatchTest): TestRecord {
  const { organizationId, instanceId, recordedAt = 0 } = parents.instance;
  const { testId, attempts, annotations, expectedStatus } = test;
  return {
    ...executionOf(parents, test),
    organizationId,
    instanceId,
    testKey: testKeyOf(testId),
    expectedStatus,
    sequence: 0,
    done: true,
    reported: { outcome: test.state, flaky: test.isFlaky },
    attempts,
    annotations,
    testTags: test.tags,
    finalAt: recordedAt,
    finals: 1,
    uploaded: true,
    expiry: parents.run.expiry,
  };
}

function recordedTest(parents: Parents, test: BatchTest): RecordedTest {
  const { testId, title, state, expectedStatus, annotations, attempts } = test;
  const { tags } = executionOf(parents, test);
  return {
    testId,
    recordId: recordIdOf({ instanceId: parents.instance.instanceId, testId }),
    title,
    outcome: state,
    flaky: countedOf(test).flaky,
    expectedStatus,
    tags: mergeTags(tags, test.tags),
    annotations,
    attempts,
    done: true,
  };
}
