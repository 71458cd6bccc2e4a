/**
 * Completes an instance if every expected test has finished: after a watched test, a changed result or an upload.
 * Idempotent. Never too early, because the read is consistent and a finished test stays finished.
 */
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import type { WriteOutcome } from '#shared/engine/table/table.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { ABSENT } from '#shared/engine/table/writes.ts';
import { findParents, type Parents } from '#shared/ingest/execution-of.ts';
import { type InstanceResults, loadResults } from '#shared/ingest/instance-results.ts';
import { publishCounters, toCounterChanges } from '#shared/ingest/publish-counters.ts';
import { publishProgress } from '#shared/ingest/publish-progress.ts';
import { collectInstanceTests, storeDetails } from '#shared/ingest/store-details.ts';
import { watchTest } from '#shared/ingest/watch-test.ts';
import { type Instance, type InstanceKey, instances } from '#shared/model/results/instance.ts';
import type { RecordedTest } from '#shared/model/results/instance-details.ts';
import { instanceResets } from '#shared/model/results/instance-reset.ts';
import type { Services } from '#shared/services.ts';
import { endRunOrCountLate } from './complete-run.ts';

/** Their details are not stored yet. `endOf` returns when the tests ended, in epoch milliseconds. */
export interface UploadedTests {
  /** The run, the group, and the instance after it was claimed. */
  readonly parents: Parents;
  readonly tests: readonly RecordedTest[];
  readonly endOf: (tests: readonly RecordedTest[]) => number;
  /** The results, if they were read after the upload had added its own. */
  readonly results?: InstanceResults | undefined;
}

export interface Review {
  /**
   * Whether every expected test has finished. If so, the run has been updated too, unless the tests were uploaded. Also
   * true if the run was deleted or the instance was reset, because there is nothing left to do then.
   */
  readonly isComplete: boolean;
  /** Whether this may be the last open instance of its run. */
  readonly mayEndRun: boolean;
}

export async function reviewInstance(services: Services, key: InstanceKey, upload?: UploadedTests): Promise<Review> {
  return retryOptimistically('tests of an instance', async (round) => {
    const readResults = round === 0 ? upload?.results : undefined;
    const results = readResults ?? (await loadResults(services, key, { consistent: true }));
    // An instance is skipped during its reset, because the reset deletes its results.
    if (results.isResetting || (results.known === 0 && !results.tally)) return OPEN;
    const input = { results, uploaded: upload };
    if (results.open.length === 0) return completeInstance(services, key, input);
    if (!(await ensureWatchedTest(services, key, results))) return AGAIN;
    await publishResults(services, key, input);
    return OPEN;
  });
}

const OPEN: Review = { isComplete: false, mayEndRun: false };

interface ReviewInput {
  readonly results: InstanceResults;
  readonly uploaded: UploadedTests | undefined;
}

/** Returns false if the chosen test finished in the meantime. */
async function ensureWatchedTest(services: Services, key: InstanceKey, results: InstanceResults): Promise<boolean> {
  const { open, isWatched, expiresAt } = results;
  if (isWatched) return true;
  const testKey = open[Math.floor(Math.random() * open.length)] ?? '';
  return watchTest(services, { ...key, testKey, expiresAt });
}

async function publishResults(services: Services, key: InstanceKey, { results, uploaded }: ReviewInput): Promise<void> {
  const storedInstance = await publishCounters(services, key, results);
  if (!storedInstance || !uploaded) return;
  const testDetails = await collectInstanceTests(services, results, uploaded.tests);
  const instance = { ...storedInstance, known: results.known };
  await storeDetails(services, { ...uploaded.parents, instance, ...testDetails, version: results.version });
}

async function completeInstance(
  services: Services,
  key: InstanceKey,
  input: ReviewInput,
): Promise<Review | typeof AGAIN> {
  const { results, uploaded } = input;
  const testDetails = await collectInstanceTests(services, results, uploaded?.tests ?? []);
  const { tests } = testDetails;
  // Published before the instance is completed, so that the counters of a complete instance are exact.
  await publishProgress(services, key, results);
  if (!(await announceCompletion(services, key, results))) return AGAIN;
  const endedAt = uploaded?.endOf(tests);
  const { done, item: markedInstance } = await markAsComplete(services, key, results, endedAt);
  if (!markedInstance || markedInstance.epoch !== results.epoch) return GONE;
  if (markedInstance.completedAt === undefined) return AGAIN;
  if (!done) await publishCounters(services, key, results);
  const storedInstance = done ? markedInstance : await extendInstance(services, markedInstance, endedAt);
  // Read after the instance was completed, because the run may have ended. After an upload, the caller does so.
  const parents = uploaded?.parents ?? (await findParents(services, key, storedInstance.groupId));
  if (!parents) return GONE;
  const instance = { ...storedInstance, known: results.known };
  const parts = done ? testDetails.parts : undefined;
  await storeDetails(services, { ...parents, instance, tests, version: results.version, parts });
  if (!(await watchStragglers(services, key, results))) return AGAIN;
  // If an earlier request completed the instance, that request may have been killed before it updated the run.
  const mayEnd = !done || storedInstance.watched === true;
  // After an upload, the caller updates the run a single time, after all spec files are recorded.
  if (!uploaded) await endRunOrCountLate(services, parents.run, { mayEnd });
  return { isComplete: true, mayEndRun: mayEnd };
}

/**
 * Says in the partition of the tests that the instance is complete, before it is. A further test of it then has the
 * `watched` mark. Uploaded results say so themselves. Returns false if the instance is being reset.
 */
async function announceCompletion(
  { table }: Services,
  { organizationId, instanceId }: InstanceKey,
  { tally, wasComplete, epoch, expiresAt }: InstanceResults,
): Promise<boolean> {
  if (tally || wasComplete) return true;
  const set = toAssignments({ organizationId, instanceId, epoch, resetting: false, complete: true, expiresAt });
  const isSameEpoch = [
    { path: 'epoch', equals: epoch },
    { path: 'resetting', equals: false },
  ];
  const when = { any: [ABSENT, { all: isSameEpoch }] };
  return (await table.update(instanceResets, { organizationId, instanceId }, { set }, when)).done;
}

/** The result if the run was deleted or the instance was reset. */
const GONE: Review = { isComplete: true, mayEndRun: false };

/** Only one call succeeds until a reset. Does not write the row of the run, for which all instances would compete. */
function markAsComplete(
  { table, now }: Services,
  key: InstanceKey,
  results: InstanceResults,
  endedAt = now(),
): Promise<WriteOutcome<Instance>> {
  const { known, version, epoch } = results;
  const changes = toCounterChanges(results, { completedAt: Math.min(endedAt, now()), heardAt: now() });
  const when = {
    all: [
      { absent: 'completedAt' },
      { path: 'epoch', equals: epoch },
      // This condition fails if a later suite expects more tests.
      { path: 'expected', atMost: known },
      { path: 'version', atMost: version },
    ],
  };
  return table.update(instances, key, changes, when);
}

/**
 * A spec file whose tests nobody announced is complete after each of its parts, until the next part arrives. Its end is
 * that of its last test.
 */
async function extendInstance({ table, now }: Services, instance: Instance, endedAt: number | undefined) {
  const completedAt = Math.min(endedAt ?? 0, now());
  if (completedAt <= (instance.completedAt ?? 0)) return instance;
  const when = {
    all: [
      { path: 'epoch', equals: instance.epoch },
      { path: 'completedAt', atMost: completedAt },
    ],
  };
  const { item: storedInstance } = await table.update(
    instances,
    instance,
    { set: [['completedAt', completedAt]] },
    when,
  );
  return storedInstance ?? instance;
}

/** Tests that the suite does not name may still be running. Returns false if one finished in the meantime. */
async function watchStragglers(services: Services, key: InstanceKey, results: InstanceResults): Promise<boolean> {
  const { records, expiresAt } = results;
  const runningRecords = records.filter(({ done, watched }) => !done && !watched);
  let areRunning = true;
  for (const { testKey } of runningRecords)
    areRunning = (await watchTest(services, { ...key, testKey, expiresAt })) && areRunning;
  return areRunning;
}
