/** Stores all tests of an instance together, so that one query reads the tests of a finished instance. */

import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
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
} from '#shared/model/results/instance-details.ts';
import { buildInstanceDetails, toRecordedTest } from '#shared/results/instances/instance-details.ts';
import type { Parents } from './execution-of.ts';
import type { InstanceResults } from './instance-results.ts';

/** While a concurrent write is unfinished, parts are read this often. Then the unfinished parts are overwritten. */
const UNFINISHED_ROUNDS = 4;

interface DetailsUpdate extends Parents {
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
export async function storeDetails({ table }: WithTable, update: DetailsUpdate): Promise<void> {
  await retryOptimistically('details of an instance', async (round) => {
    const parts =
      (round === 0 ? update.parts : undefined) ??
      (await table.queryAll(detailsParts, getDetailsSpan(update.instance), { consistent: true }));
    const [first] = parts;
    const storedDetails = joinDetails(parts);
    if (first && !storedDetails && round < UNFINISHED_ROUNDS) return AGAIN;
    const mergedDetails = mergeDetails(
      update,
      storedDetails && first ? { details: storedDetails, version: first.version } : undefined,
    );
    if (mergedDetails === undefined) return true;
    return (await writeParts(table, mergedDetails, { read: first, expiresAt: update.run.expiry.results })) || AGAIN;
  });
}

interface VersionedDetails {
  readonly details: InstanceDetails;
  readonly version: number;
}

/** Returns `undefined` if the stored tests are newer and none is missing. */
function mergeDetails(
  update: DetailsUpdate,
  storedDetails: VersionedDetails | undefined,
): VersionedDetails | undefined {
  const newDetails = { details: buildInstanceDetails(update), version: update.version };
  if (!storedDetails) return newDetails;
  const isNewer = storedDetails.version > newDetails.version;
  const [newer, older] = isNewer ? [storedDetails, newDetails] : [newDetails, storedDetails];
  const newerTestIds = new Set(newer.details.tests.map(({ testId }) => testId));
  const missingTests = older.details.tests.filter(({ testId }) => !newerTestIds.has(testId));
  if (isNewer && missingTests.length === 0) return undefined;
  return { version: newer.version, details: { ...newer.details, tests: [...newer.details.tests, ...missingTests] } };
}

/** The first write decides between concurrent writers: it succeeds only if the first part still is `read`. */
async function writeParts(
  table: Table,
  { details, version }: VersionedDetails,
  { read, expiresAt }: { readonly read: DetailsPart | undefined; readonly expiresAt: number | undefined },
): Promise<boolean> {
  const { instance } = details;
  const [first, ...more] = splitDetails(details, { version, expiresAt });
  if (!first) throw new Error(`The details of the instance ${instance.instanceId} were split into no parts`);
  const sameDigest: Condition = read?.digest ? { path: 'digest', equals: read.digest } : { absent: 'digest' };
  const isUnchanged: Condition = read ? { all: [{ path: 'version', equals: read.version }, sameDigest] } : ABSENT;
  if (!(await table.put(detailsParts, first, isUnchanged)).done) return false;
  for (const part of more) await table.put(detailsParts, part);
  return true;
}

interface CollectedTests {
  readonly tests: readonly RecordedTest[];
  /** Empty if they were not needed, because the records and the current upload contain all tests. */
  readonly parts: readonly DetailsPart[];
}

/** Combines the tests of the records, of the current upload and of earlier uploads. */
export async function collectInstanceTests(
  { table }: WithTable,
  { records, tally }: InstanceResults,
  uploadedTests: readonly RecordedTest[],
): Promise<CollectedTests> {
  const uploadedByKey = new Map(uploadedTests.map((test) => [deriveTestKey(test.testId), test]));
  const currentRecords = records.filter(
    ({ testKey, uploaded: isUploaded }) => !isUploaded || !uploadedByKey.has(testKey),
  );
  const tests = new Map(currentRecords.map((record) => [record.testKey, toRecordedTest(record)]));
  for (const [testKey, test] of uploadedByKey) if (!tests.has(testKey)) tests.set(testKey, test);
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
