/** Stores all tests of an instance in one item, so that reading a finished instance costs one read. */
import { optimistically } from '#shared/engine/table/optimistic.ts';
import { testKeyOf } from '#shared/model/ids.ts';
import {
  detailsParts,
  detailsSpan,
  joinDetails,
  type RecordedTest,
  splitDetails,
} from '#shared/model/instance-details.ts';
import { detailsOf, recordedTest } from '#shared/results/instance-details.ts';
import type { CoreServices } from '#shared/services.ts';
import type { Parents } from './execution-of.ts';
import type { InstanceResults } from './instance-results.ts';

type WithTable = Pick<CoreServices, 'table'>;

/** An older version never replaces a newer one. */
export async function storeDetails(
  { table }: WithTable,
  parts: Parents & { readonly tests: readonly RecordedTest[] },
  version: number,
): Promise<void> {
  const newest = { any: [{ absent: 'pk' }, { path: 'version', atMost: version }] };
  const { results: expiresAt } = parts.run.expiry;
  for (const part of splitDetails(detailsOf(parts), { version, expiresAt }))
    await table.put(detailsParts, part, newest);
}

/** The number of rounds during which a concurrent upload may write its details. */
const ROUNDS = 4;

/** Joins the tests of the records, of the current upload and of earlier uploads. */
export async function testsFor(
  { table }: WithTable,
  { records, tally }: InstanceResults,
  uploaded: readonly RecordedTest[],
): Promise<RecordedTest[]> {
  const own = new Map(uploaded.map((test) => [testKeyOf(test.testId), test]));
  const recorded = records.filter(({ testKey, uploaded: isUploaded }) => !isUploaded || !own.has(testKey));
  const tests = new Map(recorded.map((record) => [record.testKey, recordedTest(record)]));
  for (const [testKey, test] of own) if (!tests.has(testKey)) tests.set(testKey, test);
  const missing = () => Object.keys(tally?.results ?? {}).some((testKey) => !tests.has(testKey));
  let round = 0;
  await optimistically('details of an instance', async () => {
    round += 1;
    if (!missing() || round > ROUNDS) return true;
    const of = records[0] ?? tally;
    const parts = of ? await table.queryAll(detailsParts, detailsSpan(of), { consistent: true }) : [];
    for (const test of joinDetails(parts)?.tests ?? []) {
      const testKey = testKeyOf(test.testId);
      if (!tests.has(testKey)) tests.set(testKey, test);
    }
    return !missing();
  });
  return [...tests.values()];
}
