/** Records finished spec files: stores their results, then updates their run. Idempotent. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { endOfTests } from '#shared/ingest/attempt-times.ts';
import { storeUpload, type Upload } from '#shared/ingest/store-upload.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { isFailure } from '#shared/model/tests/outcomes.ts';
import type { Services } from '#shared/services.ts';
import { completeRun } from './complete-run.ts';
import { noteFailedTest } from './fail-run.ts';
import { reviewInstance } from './review-instance.ts';

/**
 * Returns the run as it was read after the results were stored, or `undefined` if the upload has no results or the run
 * was deleted.
 */
export async function recordInstances(services: Services, upload: Upload): Promise<Run | undefined> {
  const { instances, targets } = upload;
  if (instances.length === 0) return undefined;
  const stored = await storeUpload(services, upload);
  const reviews = await mapConcurrently(stored, ({ key, ...uploaded }) =>
    // A report may be uploaded days after its tests ran, so the end time of the instance is that of its last test, and
    // not the time of the upload.
    reviewInstance(services, key, { ...uploaded, endOf: (all) => endOfTests(all) ?? services.now() }),
  );
  const hasFailed = instances.some(({ tests }) => tests.some(({ outcome }) => isFailure(outcome)));
  const failing = hasFailed ? await noteFailedTest(services, targets.run) : undefined;
  // A run with a limit of failures may have been cancelled after it was read.
  const isCurrent = failing !== undefined && failing.cancelAfterFailures === undefined;
  const run = isCurrent ? failing : await services.table.get(runs, targets.run, { consistent: true });
  const mayEnd = reviews.some((review) => review.mayEndRun);
  if (run) await completeRun(services, run, { mayEnd });
  return run;
}
