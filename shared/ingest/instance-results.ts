/**
 * Counts the results of an instance from its test records and uploads. All stored counters are derived from these rows.
 */

import type { WithTable } from '#shared/engine/table/table.ts';
import { type InstanceKey, pickCountedTags } from '#shared/model/results/instance.ts';
import { getInstanceRowsSpan, type InstanceRow, instanceRows } from '#shared/model/results/instance-rows.ts';
import { type CountedTest, type Counters, countTests } from '#shared/model/results/outcomes.ts';
import type { TestRecord } from '#shared/model/results/test-record.ts';
import type { UploadTally } from '#shared/model/results/upload-tally.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import { countProgressRows } from '#shared/model/runs/progress.ts';
import { toCountedTest } from '#shared/results/outcome.ts';
import { INGEST_LIMITS } from './limits.ts';

export interface InstanceResults extends Expiring {
  readonly epoch: number;
  readonly isResetting: boolean;
  /** Whether the state of the instance says that it was complete since its last reset. */
  readonly wasComplete: boolean;
  /** The test keys of the tests that the suites announced, in suite order, and of those that began in a further instance. */
  readonly expected: readonly string[];
  readonly tally: UploadTally | undefined;
  readonly records: readonly TestRecord[];
  readonly reported: ReadonlyMap<string, CountedTest>;
  /** Expected tests that have not finished. */
  readonly open: readonly string[];
  /** Whether an open test has the `watched` mark. */
  readonly isWatched: boolean;
  /** Tests whose row has only the `watched` mark, because no reporter has sent a message about them yet. */
  readonly stubs: readonly string[];
  /** The number of tests that are expected or have reported. */
  readonly known: number;
  readonly counters: Counters;
  readonly testTags: readonly string[];
  readonly version: number;
  /** Whether a machine sends the spec file in parts, and has not sent the last one. */
  readonly hasMore: boolean;
  /** The number of rows that hold the live counters of the instance's run. */
  readonly progressRows: number;
}

export async function loadResults(
  { table }: WithTable,
  key: Pick<InstanceKey, 'organizationId' | 'instanceId'>,
  options: { readonly consistent?: boolean } = {},
): Promise<InstanceResults> {
  const rows = await table.queryAll(instanceRows, getInstanceRowsSpan(key), options);
  const reset = rows.find((row) => row.kind === 'reset')?.reset;
  const tally = rows.find((row) => row.kind === 'tally')?.tally;
  const records = rows.flatMap((row) => (row.kind === 'record' ? row.record : []));
  const suites = rows.flatMap((row) => (row.kind === 'suite' ? row.suite : []));
  const furtherTestKeys = records.flatMap(({ further, testKey }) => (further ? testKey : []));
  const expectedTestKeys = [...new Set([...suites.flatMap(({ testKeys }) => testKeys), ...furtherTestKeys])];
  const results = mergeResults(records, tally);
  const open = expectedTestKeys.filter((testKey) => !results.has(testKey));
  const watchedTestKeys = collectWatchedTestKeys(rows);
  const finishedRecords = records.filter((record) => record.done);
  return {
    epoch: reset?.epoch ?? 0,
    expiresAt: rows.map(getExpiry).find((end) => end !== undefined),
    isResetting: reset?.resetting === true,
    wasComplete: reset?.complete === true,
    expected: expectedTestKeys,
    tally,
    records,
    reported: results,
    open,
    isWatched: open.some((testKey) => watchedTestKeys.has(testKey)),
    stubs: rows.flatMap((row) => (row.kind === 'stub' ? row.testKey : [])),
    known: new Set([...expectedTestKeys, ...results.keys()]).size,
    counters: countTests(results.values()),
    testTags: pickDistinctTags([
      ...(tally?.testTags ?? []),
      ...finishedRecords.flatMap(({ testTags }) => pickCountedTags(testTags)),
    ]),
    version: records.reduce((sum, { finals }) => sum + finals, tally?.version ?? 0),
    hasMore: tally?.hasMore === true,
    progressRows: Math.max(countProgressRows(0), ...suites.map((suite) => suite.progressRows)),
  };
}

/** A finished record replaces the upload of its test unless it is `uploaded`: newer messages remove that mark. */
function mergeResults(records: readonly TestRecord[], tally: UploadTally | undefined): Map<string, CountedTest> {
  const results = new Map(Object.entries(tally?.results ?? {}));
  for (const record of records) {
    const isCounted = record.uploaded === true && results.has(record.testKey);
    if (record.done && !isCounted) results.set(record.testKey, toCountedTest(record));
  }
  return results;
}

/** Suites, tallies and records all have the same TTL. Returns `undefined` for any other row. */
function getExpiry(row: InstanceRow): number | undefined {
  if (row.kind === 'suite') return row.suite.expiresAt;
  if (row.kind === 'tally') return row.tally.expiresAt;
  return row.kind === 'record' ? row.record.expiry.results : undefined;
}

const collectWatchedTestKeys = (rows: readonly InstanceRow[]): ReadonlySet<string> =>
  new Set(
    rows.flatMap((row) => {
      if (row.kind === 'stub') return row.watched ? row.testKey : [];
      return row.kind === 'record' && row.record.watched && !row.record.done ? row.record.testKey : [];
    }),
  );

export const pickDistinctTags = (tags: readonly string[]): string[] =>
  [...new Set(tags)].slice(0, INGEST_LIMITS.tagsPerSpec);
