/** Records finished spec files: stores their results, then updates their run. Idempotent. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { findLastEnd } from '#shared/ingest/attempt-times.ts';
import { storeUpload, type Upload } from '#shared/ingest/store-upload.ts';
import { isFailure } from '#shared/model/results/outcomes.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { endRunOrCountLate } from './complete-run.ts';
import { noteFailedTest } from './fail-run.ts';
import { reviewInstance } from './review-instance.ts';

/** Returns the run as read after the results were stored, if the upload has results and the run still exists. */
export async function recordInstances(services: Services, upload: Upload): Promise<Run | undefined> {
  const { instances, targets } = upload;
  if (instances.length === 0) return undefined;
  const storedInstances = await storeUpload(services, upload);
  const reviews = await mapConcurrently(storedInstances, ({ key, ...uploadedTests }) =>
    // A report may be uploaded days after its tests ran, so its last test counts as the end, and not the upload.
    reviewInstance(services, key, { ...uploadedTests, endOf: (all) => findLastEnd(all) ?? services.now() }),
  );
  const hasFailed = instances.some(({ tests }) => tests.some(({ outcome }) => isFailure(outcome)));
  const runAfterFailure = hasFailed ? await noteFailedTest(services, targets.run) : undefined;
  // A run with a limit of failures may have been cancelled after it was read.
  const isCurrent = runAfterFailure !== undefined && runAfterFailure.cancelAfterFailures === undefined;
  const run = isCurrent ? runAfterFailure : await services.table.get(runs, targets.run, { consistent: true });
  const mayEnd = reviews.some((review) => review.mayEndRun);
  if (run) await endRunOrCountLate(services, run, { mayEnd });
  return run;
}
