/** Records finished spec files: stores their results, then updates their run. Idempotent. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { endOfTests } from '#shared/ingest/attempt-times.ts';
import type { ReportedInstance } from '#shared/ingest/reported.ts';
import { storeUpload, type Upload } from '#shared/ingest/store-upload.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { isFailure } from '#shared/model/tests/outcomes.ts';
import type { Services } from '#shared/services.ts';
import { completeRun } from './complete-run.ts';
import { noteFailedTest } from './fail-run.ts';
import { type Review, reviewInstance } from './review-instance.ts';

interface Uploads extends Omit<Upload, 'instance'> {
  readonly instances: readonly ReportedInstance[];
}

/** Returns the run as it was read after the results were stored, or `undefined` if there were none. */
export async function recordInstances(services: Services, { instances, ...upload }: Uploads): Promise<Run | undefined> {
  if (instances.length === 0) return undefined;
  const reviews = await mapConcurrently(instances, (instance) => recordInstance(services, { ...upload, instance }));
  const hasFailed = instances.some(({ tests }) => tests.some(({ outcome }) => isFailure(outcome)));
  const failing = hasFailed ? await noteFailedTest(services, upload.run) : undefined;
  // A run with a limit of failures may have been cancelled after it was read.
  const isCurrent = failing !== undefined && failing.cancelAfterFailures === undefined;
  const run = isCurrent ? failing : await services.table.get(runs, upload.run, { consistent: true });
  const mayEnd = reviews.some((review) => review.mayEndRun);
  if (run) await completeRun(services, run, { mayEnd });
  return run;
}

async function recordInstance(services: Services, upload: Upload): Promise<Review> {
  const { key, parents, tests } = await storeUpload(services, upload);
  // A report may be uploaded days after its tests ran, so the end time of the instance is that of its last test, and
  // not the time of the upload.
  return reviewInstance(services, key, { parents, tests, endOf: (all) => endOfTests(all) ?? services.now() });
}
