/** Records a finished spec file: stores its results, then updates its run. Idempotent. */
import { endOf } from '#shared/ingest/attempt-times.ts';
import { storeUpload, type Upload } from '#shared/ingest/store-upload.ts';
import { isFailure } from '#shared/model/outcomes.ts';
import type { Services } from '#shared/services.ts';
import { noteFailedTest } from './fail-run.ts';
import { reviewInstance } from './review-instance.ts';

export async function recordInstance(services: Services, upload: Upload): Promise<void> {
  const { key, tests } = await storeUpload(services, upload);
  if (tests.some(({ outcome }) => isFailure(outcome))) await noteFailedTest(services, upload.run);
  // An upload may come days after its tests, so their own times count.
  await reviewInstance(services, key, { tests, endOf: (all) => endOf(all) ?? services.now() });
}
