/**
 * Reads the records of an instance and completes it if every expected test is final. Runs when a watched test becomes
 * final, a final test changes, or results are uploaded. Idempotent. It never completes an instance too early: the read
 * is consistent, and a final test stays final.
 */
import { optimistically } from '#shared/engine/table/optimistic.ts';
import { PRESENT, update } from '#shared/engine/table/writes.ts';
import { findParents, type Parents } from '#shared/ingest/execution-of.ts';
import { type InstanceResults, loadResults } from '#shared/ingest/instance-results.ts';
import { publishCounters } from '#shared/ingest/publish-counters.ts';
import { storeDetails, testsFor } from '#shared/ingest/store-details.ts';
import { watchTest } from '#shared/ingest/watch-test.ts';
import { type InstanceKey, instances } from '#shared/model/instance.ts';
import type { RecordedTest } from '#shared/model/instance-details.ts';
import { runs } from '#shared/model/run.ts';
import type { Services } from '#shared/services.ts';
import { completeRun } from './complete-run.ts';

/** Tests of an upload whose details are not stored yet. `endOf` returns milliseconds. */
export interface Uploaded {
  readonly tests: readonly RecordedTest[];
  readonly endOf: (tests: readonly RecordedTest[]) => number;
}

/** Returns true if the instance is complete. Its run is then updated, too. */
export async function reviewInstance(services: Services, key: InstanceKey, uploaded?: Uploaded): Promise<boolean> {
  let isComplete = false;
  await optimistically('tests of an instance', async () => {
    const results = await loadResults(services, key, { consistent: true });
    // A reset in progress deletes the results of the instance.
    if (results.isResetting || (results.known === 0 && !results.tally)) return true;
    isComplete = results.open.length === 0;
    if (!isComplete && !(await keepWatch(services, key, results))) return false;
    return isComplete ? complete(services, key, { results, uploaded }) : publish(services, key, { results, uploaded });
  });
  return isComplete;
}

interface Reviewed {
  readonly results: InstanceResults;
  readonly uploaded: Uploaded | undefined;
}

/** Returns false if the chosen test became final meanwhile. */
async function keepWatch(services: Services, key: InstanceKey, results: InstanceResults): Promise<boolean> {
  const { open, isWatched, expiresAt } = results;
  if (isWatched) return true;
  const testKey = open[Math.floor(Math.random() * open.length)] ?? '';
  return watchTest(services, { ...key, testKey, expiresAt });
}

async function publish(services: Services, key: InstanceKey, { results, uploaded }: Reviewed): Promise<boolean> {
  const instance = await publishCounters(services, key, results);
  if (!instance || !uploaded) return true;
  const parents = await findParents(services, key, instance.groupId);
  if (parents) await describeTests(services, parents, { results, uploaded });
  return true;
}

/** Returns false if the instance changed meanwhile. */
async function complete(services: Services, key: InstanceKey, reviewed: Reviewed): Promise<boolean> {
  const { results, uploaded } = reviewed;
  const parents = await findParents(services, key, results.records[0]?.groupId ?? '');
  // The run was deleted, or the instance was reset.
  if (!parents || parents.instance.epoch !== results.epoch) return true;
  const tests = await testsFor(services, results, uploaded?.tests ?? []);
  const completedAt =
    parents.instance.completedAt ?? (uploaded ? Math.min(uploaded.endOf(tests), services.now()) : services.now());
  if (parents.instance.completedAt !== undefined) await publishCounters(services, key, results);
  else if (!(await countOnce(services, key, results, completedAt))) return false;
  const instance = { ...parents.instance, known: results.known, completedAt };
  await storeDetails(services, { ...parents, instance, tests }, results.version);
  if (!(await watchStragglers(services, key, results))) return false;
  // An upload completes its run once, after all its spec files.
  if (!uploaded) await completeRun(services, parents.run);
  return true;
}

async function describeTests(services: Services, parents: Parents, { results, uploaded }: Reviewed): Promise<void> {
  const tests = await testsFor(services, results, uploaded?.tests ?? []);
  const instance = { ...parents.instance, known: results.known };
  await storeDetails(services, { ...parents, instance, tests }, results.version);
}

/** Exactly once per instance and reset: one transaction sets `completedAt` and increments the counter of the run. */
async function countOnce(
  { table, now }: Services,
  key: InstanceKey,
  { counters, known, testTags, version, epoch }: InstanceResults,
  completedAt: number,
): Promise<boolean> {
  const set = Object.entries({ counters, known, testTags, version, completedAt, heardAt: now() });
  const when = {
    all: [
      { absent: 'completedAt' },
      { path: 'epoch', equals: epoch },
      // A later suite expects more tests.
      { path: 'expected', atMost: known },
      { path: 'version', atMost: version },
    ],
  };
  return table.transact([
    update(instances, key, { set }, when),
    update(runs, key, { add: [['instancesComplete', 1]] }, PRESENT),
  ]);
}

/** Tests outside the suite may still be running. Each of them gets the mark, so that its end is counted. */
async function watchStragglers(services: Services, key: InstanceKey, results: InstanceResults): Promise<boolean> {
  const { records, expiresAt } = results;
  const running = records.filter(({ done, watched }) => !done && !watched);
  let areRunning = true;
  for (const { testKey } of running)
    areRunning = (await watchTest(services, { ...key, testKey, expiresAt })) && areRunning;
  return areRunning;
}
