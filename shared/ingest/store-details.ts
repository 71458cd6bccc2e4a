/** Stores all tests of an instance together, so that one query reads the tests of a finished instance. */

import { retryOptimistically } from '#shared/engine/table/optimistic.ts';
import type { Table, WithTable } from '#shared/engine/table/table.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import { ABSENT } from '#shared/engine/table/writes.ts';
import { deriveTestKey } from '#shared/model/ids.ts';
import {
  type DetailsPart,
  detailsParts,
  getDetailsSpan,
  type InstanceDetails,
  joinDetails,
  type RecordedTest,
  splitDetails,
} from '#shared/model/tests/instance-details.ts';
import { detailsOf, recordedTest } from '#shared/results/instance-details.ts';
import type { Parents } from './execution-of.ts';
import type { InstanceResults } from './instance-results.ts';

/**
 * The maximum number of times that the stored parts are read again while a concurrent write is unfinished. After that,
 * the unfinished parts are overwritten.
 */
const UNFINISHED_ROUNDS = 4;

interface Described extends Parents {
  readonly tests: readonly RecordedTest[];
  readonly version: number;
  /** The stored parts, if they were just read. The first attempt then does not read them again. */
  readonly parts: readonly DetailsPart[] | undefined;
}

/**
 * Stores the tests of an instance. Concurrent uploads may contain different tests, and the details of passed tests are
 * stored nowhere else. Therefore, each write also keeps the tests that are already stored. If a test is both new and
 * stored, the newer version wins.
 */
export async function storeDetails({ table }: WithTable, described: Described): Promise<void> {
  let round = 0;
  await retryOptimistically('details of an instance', async () => {
    round += 1;
    const parts =
      (round === 1 ? described.parts : undefined) ??
      (await table.queryAll(detailsParts, getDetailsSpan(described.instance), { consistent: true }));
    const [first] = parts;
    const known = joinDetails(parts);
    if (first && !known && round <= UNFINISHED_ROUNDS) return false;
    const merged = merge(described, known && first ? { details: known, version: first.version } : undefined);
    return merged === undefined || writeParts(table, merged, { read: first, expiresAt: described.run.expiry.results });
  });
}

interface Versioned {
  readonly details: InstanceDetails;
  readonly version: number;
}

/** Merges the new tests with the stored ones. Returns `undefined` if the stored ones are newer and none is missing. */
function merge(described: Described, stored: Versioned | undefined): Versioned | undefined {
  const own = { details: detailsOf(described), version: described.version };
  if (!stored) return own;
  const isNewer = stored.version > own.version;
  const [newer, older] = isNewer ? [stored, own] : [own, stored];
  const known = new Set(newer.details.tests.map(({ testId }) => testId));
  const missing = older.details.tests.filter(({ testId }) => !known.has(testId));
  if (isNewer && missing.length === 0) return undefined;
  return { version: newer.version, details: { ...newer.details, tests: [...newer.details.tests, ...missing] } };
}

/**
 * The write of the first part decides between concurrent writers: it succeeds only if the first part has not changed
 * since `read`.
 */
async function writeParts(
  table: Table,
  { details, version }: Versioned,
  { read, expiresAt }: { readonly read: DetailsPart | undefined; readonly expiresAt: number | undefined },
): Promise<boolean> {
  const { instance } = details;
  const [first, ...more] = splitDetails(details, { version, expiresAt });
  if (!first) throw new Error(`The details of the instance ${instance.instanceId} were split into no parts`);
  const sameDigest: Condition = read?.digest ? { path: 'digest', equals: read.digest } : { absent: 'digest' };
  const unchanged: Condition = read ? { all: [{ path: 'version', equals: read.version }, sameDigest] } : ABSENT;
  if (!(await table.put(detailsParts, first, unchanged)).done) return false;
  for (const part of more) await table.put(detailsParts, part);
  return true;
}

interface FoundTests {
  readonly tests: readonly RecordedTest[];
  /**
   * The stored details. Empty if they were not needed, because the records and the current upload contain all tests.
   */
  readonly parts: readonly DetailsPart[];
}

/** Combines the tests of the records, of the current upload and of earlier uploads. */
export async function testsFor(
  { table }: WithTable,
  { records, tally }: InstanceResults,
  uploaded: readonly RecordedTest[],
): Promise<FoundTests> {
  const own = new Map(uploaded.map((test) => [deriveTestKey(test.testId), test]));
  const recorded = records.filter(({ testKey, uploaded: isUploaded }) => !isUploaded || !own.has(testKey));
  const tests = new Map(recorded.map((record) => [record.testKey, recordedTest(record)]));
  for (const [testKey, test] of own) if (!tests.has(testKey)) tests.set(testKey, test);
  const anyRow = records[0] ?? tally;
  const isMissing = Object.keys(tally?.results ?? {}).some((testKey) => !tests.has(testKey));
  const parts =
    anyRow && isMissing ? await table.queryAll(detailsParts, getDetailsSpan(anyRow), { consistent: true }) : [];
  for (const test of joinDetails(parts)?.tests ?? []) {
    const testKey = deriveTestKey(test.testId);
    if (!tests.has(testKey)) tests.set(testKey, test);
  }
  return { tests: [...tests.values()], parts };
}
