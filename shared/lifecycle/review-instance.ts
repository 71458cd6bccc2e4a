/**
 * Reads the records of an instance, and completes the instance if every expected test has finished. Runs, for example,
 * when a watched test finishes, when the result of a finished test changes, or when results are uploaded. Idempotent.
 * It never completes an instance too early, because the read is consistent and a finished test stays finished.
 */
import { retryOptimistically } from '#shared/engine/table/optimistic.ts';
import type { WriteOutcome } from '#shared/engine/table/table.ts';
import { findParents, type Parents } from '#shared/ingest/execution-of.ts';
import { type InstanceResults, loadResults } from '#shared/ingest/instance-results.ts';
import { publishCounters } from '#shared/ingest/publish-counters.ts';
import { publishProgress } from '#shared/ingest/publish-progress.ts';
import { storeDetails, testsFor } from '#shared/ingest/store-details.ts';
import { watchTest } from '#shared/ingest/watch-test.ts';
import { type Instance, type InstanceKey, instances } from '#shared/model/tests/instance.ts';
import type { RecordedTest } from '#shared/model/tests/instance-details.ts';
import type { Services } from '#shared/services.ts';
import { completeRun } from './complete-run.ts';

/**
 * Tests of an upload whose details are not stored yet. `endOf` returns the time at which the tests ended, in epoch
 * milliseconds.
 */
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

export async function reviewInstance(services: Services, key: InstanceKey, uploaded?: UploadedTests): Promise<Review> {
  let review: Review = OPEN;
  let known = uploaded?.results;
  await retryOptimistically('tests of an instance', async () => {
    const results = known ?? (await loadResults(services, key, { consistent: true }));
    known = undefined;
    // An instance is skipped during its reset, because the reset deletes its results.
    if (results.isResetting || (results.known === 0 && !results.tally)) return true;
    if (results.open.length > 0) {
      review = OPEN;
      return (await keepWatch(services, key, results)) && publish(services, key, { results, uploaded });
    }
    const completed = await complete(services, key, { results, uploaded });
    if (completed) review = completed;
    return completed !== undefined;
  });
  return review;
}

const OPEN: Review = { isComplete: false, mayEndRun: false };

interface Reviewed {
  readonly results: InstanceResults;
  readonly uploaded: UploadedTests | undefined;
}

/** Gives the `watched` mark to an open test. Returns false if the chosen test finished in the meantime. */
async function keepWatch(services: Services, key: InstanceKey, results: InstanceResults): Promise<boolean> {
  const { open, isWatched, expiresAt } = results;
  if (isWatched) return true;
  const testKey = open[Math.floor(Math.random() * open.length)] ?? '';
  return watchTest(services, { ...key, testKey, expiresAt });
}

async function publish(services: Services, key: InstanceKey, { results, uploaded }: Reviewed): Promise<boolean> {
  const stored = await publishCounters(services, key, results);
  if (!stored || !uploaded) return true;
  const found = await testsFor(services, results, uploaded.tests);
  const instance = { ...stored, known: results.known };
  await storeDetails(services, { ...uploaded.parents, instance, ...found, version: results.version });
  return true;
}

/** Completes the instance. Returns `undefined` if the instance changed in the meantime. */
async function complete(services: Services, key: InstanceKey, reviewed: Reviewed): Promise<Review | undefined> {
  const { results, uploaded } = reviewed;
  const found = await testsFor(services, results, uploaded?.tests ?? []);
  const { tests } = found;
  // The live counters are published before the instance is completed, so that the counters of a complete instance are
  // exact.
  await publishProgress(services, key, results);
  const { done, item: known } = await completeOnce(services, key, results, uploaded?.endOf(tests));
  if (!known || known.epoch !== results.epoch) return GONE;
  if (known.completedAt === undefined) return undefined;
  if (!done) await publishCounters(services, key, results);
  // Reads the run after the instance was completed, because the run may have ended in the meantime. After an upload,
  // the caller does so.
  const parents = uploaded?.parents ?? (await findParents(services, key, known.groupId));
  if (!parents) return GONE;
  const instance = { ...known, known: results.known };
  const parts = done ? found.parts : undefined;
  await storeDetails(services, { ...parents, instance, tests, version: results.version, parts });
  if (!(await watchStragglers(services, key, results))) return undefined;
  // If an earlier request completed the instance, that request may have been killed before it updated the run.
  const mayEnd = !done || known.watched === true;
  // After an upload, the caller updates the run a single time, after all spec files are recorded.
  if (!uploaded) await completeRun(services, parents.run, { mayEnd });
  return { isComplete: true, mayEndRun: mayEnd };
}

/** The result if the run was deleted or the instance was reset. */
const GONE: Review = { isComplete: true, mayEndRun: false };

/**
 * Marks the instance as complete. Only one call succeeds, until a reset opens the instance again. This function does
 * not write the row of the run, because the completions of all instances would compete for it.
 */
function completeOnce(
  { table, now }: Services,
  key: InstanceKey,
  { counters, known, testTags, version, epoch }: InstanceResults,
  endedAt = now(),
): Promise<WriteOutcome<Instance>> {
  const completedAt = Math.min(endedAt, now());
  const set = Object.entries({ counters, known, testTags, version, completedAt, heardAt: now() });
  const when = {
    all: [
      { absent: 'completedAt' },
      { path: 'epoch', equals: epoch },
      // This condition fails if a later suite expects more tests.
      { path: 'expected', atMost: known },
      { path: 'version', atMost: version },
    ],
  };
  return table.update(instances, key, { set }, when);
}

/**
 * Gives the `watched` mark to reported tests that have not finished, so that their results are counted. Tests that the
 * suite does not name may still be running. Returns false if one of the tests finished in the meantime.
 */
async function watchStragglers(services: Services, key: InstanceKey, results: InstanceResults): Promise<boolean> {
  const { records, expiresAt } = results;
  const running = records.filter(({ done, watched }) => !done && !watched);
  let areRunning = true;
  for (const { testKey } of running)
    areRunning = (await watchTest(services, { ...key, testKey, expiresAt })) && areRunning;
  return areRunning;
}
