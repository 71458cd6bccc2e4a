/**
 * Counts the results of an instance from its test records and uploads. All stored counters are derived from these rows.
 */

import type { WithTable } from '#shared/engine/table/table.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import { countProgressRows } from '#shared/model/runs/progress.ts';
import { type InstanceKey, pickCountedTags } from '#shared/model/tests/instance.ts';
import { getInstanceRowsSpan, type InstanceRow, instanceRows } from '#shared/model/tests/instance-rows.ts';
import { type CountedTest, type Counters, countTests } from '#shared/model/tests/outcomes.ts';
import type { TestRecord } from '#shared/model/tests/test-record.ts';
import type { UploadTally } from '#shared/model/tests/upload-tally.ts';
import { countedOf } from '#shared/results/outcome.ts';
import { INGEST_LIMITS } from './limits.ts';

export interface InstanceResults extends Expiring {
  readonly epoch: number;
  readonly isResetting: boolean;
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
  const begun = records.flatMap(({ further, testKey }) => (further ? testKey : []));
  const expected = [...new Set([...suites.flatMap(({ testKeys }) => testKeys), ...begun])];
  const reported = resultsOf(records, tally);
  const open = expected.filter((testKey) => !reported.has(testKey));
  const watched = watchedIn(rows);
  const done = records.filter((record) => record.done);
  return {
    epoch: reset?.epoch ?? 0,
    expiresAt: rows.map(endOf).find((end) => end !== undefined),
    isResetting: reset?.resetting === true,
    expected,
    tally,
    records,
    reported,
    open,
    isWatched: open.some((testKey) => watched.has(testKey)),
    stubs: rows.flatMap((row) => (row.kind === 'stub' ? row.testKey : [])),
    known: new Set([...expected, ...reported.keys()]).size,
    counters: countTests(reported.values()),
    testTags: distinctTags([...(tally?.testTags ?? []), ...done.flatMap(({ testTags }) => pickCountedTags(testTags))]),
    version: records.reduce((sum, { finals }) => sum + finals, tally?.version ?? 0),
    progressRows: Math.max(countProgressRows(0), ...suites.map((suite) => suite.progressRows)),
  };
}

/**
 * Merges the results of uploads and records. A finished record that is not marked `uploaded` replaces the uploaded
 * result of its test, because only a message newer than the upload removes the mark.
 */
function resultsOf(records: readonly TestRecord[], tally: UploadTally | undefined): Map<string, CountedTest> {
  const reported = new Map(Object.entries(tally?.results ?? {}));
  for (const record of records) {
    const isCounted = record.uploaded === true && reported.has(record.testKey);
    if (record.done && !isCounted) reported.set(record.testKey, countedOf(record));
  }
  return reported;
}

/**
 * Returns the TTL of a suite, a tally or a record, which all have the same TTL. Returns `undefined` for any other row.
 */
function endOf(row: InstanceRow): number | undefined {
  if (row.kind === 'suite') return row.suite.expiresAt;
  if (row.kind === 'tally') return row.tally.expiresAt;
  return row.kind === 'record' ? row.record.expiry.results : undefined;
}

const watchedIn = (rows: readonly InstanceRow[]): ReadonlySet<string> =>
  new Set(
    rows.flatMap((row) => {
      if (row.kind === 'stub') return row.watched ? row.testKey : [];
      return row.kind === 'record' && row.record.watched && !row.record.done ? row.record.testKey : [];
    }),
  );

/** The distinct tags, up to the maximum that is stored with a spec file. */
export const distinctTags = (tags: readonly string[]): string[] =>
  [...new Set(tags)].slice(0, INGEST_LIMITS.tagsPerSpec);
