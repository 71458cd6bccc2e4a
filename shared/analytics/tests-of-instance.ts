/** Reads the final tests of an instance, also of one whose tests were still running when its run ended. */
import { UnreadableBytes } from '#shared/engine/table/packed.ts';
import { loadResults } from '#shared/ingest/instance-results.ts';
import { testsFor } from '#shared/ingest/store-details.ts';
import { type Instance, isComplete } from '#shared/model/instance.ts';
import { detailsParts, detailsSpan, joinDetails, type RecordedTest } from '#shared/model/instance-details.ts';
import type { CoreServices } from '#shared/services.ts';

/** Returns `undefined` if the stored results are damaged. The rest of the run counts without them. */
export async function testsOfInstance(
  services: Pick<CoreServices, 'table'>,
  instance: Instance,
): Promise<readonly RecordedTest[] | undefined> {
  try {
    return await finalTests(services, instance);
  } catch (error) {
    if (error instanceof UnreadableBytes) return undefined;
    throw error;
  }
}

/** §3 Returns the tests that count. A test without a final result counts nowhere. */
async function finalTests(services: Pick<CoreServices, 'table'>, instance: Instance): Promise<readonly RecordedTest[]> {
  const all = isComplete(instance) ? await describedTests(services, instance) : undefined;
  const tests = all ?? (await recordedTests(services, instance));
  return tests.filter(({ done }) => done);
}

async function describedTests({ table }: Pick<CoreServices, 'table'>, instance: Instance) {
  const parts = await table.queryAll(detailsParts, detailsSpan(instance), { consistent: true });
  return joinDetails(parts)?.tests;
}

async function recordedTests(services: Pick<CoreServices, 'table'>, instance: Instance) {
  const results = await loadResults(services, instance, { consistent: true });
  return testsFor(services, results, []);
}
