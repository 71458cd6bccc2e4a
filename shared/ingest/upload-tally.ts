/**
 * The tally of an instance: the results of its uploads, from which its counters are derived. It also decides which of
 * several sources owns the result of a test.
 */

import { Again, retryOptimisticallyFrom } from '#shared/engine/table/optimistic.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { ABSENT } from '#shared/engine/table/writes.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { countKnownTests, type Instance, pickCountedTags } from '#shared/model/results/instance.ts';
import type { CountedTest } from '#shared/model/results/outcomes.ts';
import type { TestRecord } from '#shared/model/results/test-record.ts';
import { type TalliedTest, type UploadTally, uploadTallies } from '#shared/model/results/upload-tally.ts';
import type { CoreServices } from '#shared/services.ts';
import { mapCountedTests } from './counted-tests.ts';
import { tooManyTests } from './errors.ts';
import { type InstanceResults, loadResults, pickDistinctTags } from './instance-results.ts';
import type { ReportedTest } from './reported.ts';
import {
  deriveFurtherInstance,
  getSourceMark,
  isOnlySource,
  isRecordOfOther,
  isUploadOfOther,
  type Source,
} from './sources.ts';

/** If nobody has recorded results of a spec file yet, it most likely has no tally. */
export async function readEarlierTally({ table }: WithTable, instance: Instance): Promise<UploadTally | undefined> {
  const isUntouched = instance.claims.length === 0 && instance.version === 0;
  return isUntouched ? undefined : await table.get(uploadTallies, instance, { consistent: true });
}

interface SourceOfInstance {
  readonly instance: Instance;
  readonly source: Source;
  readonly tally: UploadTally | undefined;
}

/** After a reset, a test that the source had to record in its further instance stays there. */
export async function findTestKeysOfOthers(
  { table }: WithTable,
  { instance, source, tally }: SourceOfInstance,
  testKeys: readonly string[],
): Promise<Set<string>> {
  if (instance.source !== undefined || isOnlySource(instance, source)) return new Set();
  const mark = getSourceMark(instance, source);
  const furtherInstance = { ...instance, ...deriveFurtherInstance(instance, source) };
  const furtherTally =
    instance.epoch > 0 ? await table.get(uploadTallies, furtherInstance, { consistent: true }) : undefined;
  const isOfOther = (testKey: string) =>
    isUploadOfOther(tally?.results[testKey], mark) || furtherTally?.results[testKey] !== undefined;
  return new Set(testKeys.filter(isOfOther));
}

interface UploadedResults {
  readonly source: Source;
  /** The uploaded tests by their test keys. */
  readonly reported: ReadonlyMap<string, ReportedTest>;
  /** Results of earlier uploads, as they were read. */
  readonly earlier: UploadTally | undefined;
  readonly keysOfOthers: ReadonlySet<string>;
  readonly hasMore: boolean;
}

/** What the instance already had when the upload was added. `records` holds only records that the upload replaces. */
export interface InstanceBefore {
  /** The test keys of the added tests. Other sources reported the others first. */
  readonly own: ReadonlySet<string>;
  /** The test keys of the tests that had a result. Only they may have rows that the upload makes outdated. */
  readonly reported: ReadonlySet<string>;
  /** Tests whose row has only the `watched` mark, because no reporter has sent a message about them yet. */
  readonly stubs: readonly string[];
  readonly records: readonly TestRecord[];
  /** All results of the instance, including those of the upload. */
  readonly results: InstanceResults;
}

interface TallyState {
  /** The tally without this upload, as it was last read. */
  readonly earlier: UploadTally | undefined;
  /** The tally as it is stored. After a write, it contains the results of this upload. */
  readonly stored: UploadTally | undefined;
  /** The number of final messages that the stored version allows for. */
  readonly replacedFinals: number;
  readonly keysOfOthers: ReadonlySet<string>;
}

/**
 * Adds the results to the tally, and then reads all results of the instance. Because the tally is written first, this
 * read also serves to count the results: of two concurrent writers, the one that reads last sees the results of both.
 * Results that another source uploaded or streamed in the meantime are not replaced.
 */
export async function addToTally(
  services: CoreServices,
  instance: Instance,
  upload: UploadedResults,
): Promise<InstanceBefore> {
  const { table } = services;
  const { organizationId, instanceId, expiry } = instance;
  const { source, reported: testsByKey } = upload;
  const mark = getSourceMark(instance, source);
  const countedTests = Object.entries(mapCountedTests([...testsByKey.values()]));
  const results = new Map(
    countedTests.map(([testKey, test]): [string, TalliedTest] => [testKey, { ...test, source: mark }]),
  );
  const testTags = [...testsByKey].map(([testKey, { tags }]) => [testKey, pickCountedTags(tags)] as const);
  const { earlier, keysOfOthers } = upload;
  const start: TallyState = { earlier, stored: earlier, replacedFinals: 0, keysOfOthers };
  return retryOptimisticallyFrom('uploaded results of an instance', start, async (state) => {
    const isOwn = (testKey: string): boolean =>
      !state.keysOfOthers.has(testKey) && !isUploadOfOther(state.earlier?.results[testKey], mark);
    const ownKeys = new Set([...results.keys()].filter(isOwn));
    const ownResults = Object.fromEntries([...results].filter(([testKey]) => ownKeys.has(testKey)));
    const ownTags = testTags.flatMap(([testKey, tags]) => (ownKeys.has(testKey) ? tags : []));
    const row = {
      organizationId,
      instanceId,
      // A record that the upload replaces no longer counts its final messages. The version must not fall because of it.
      version: (state.stored?.version ?? 0) + 1 + state.replacedFinals,
      results: { ...state.earlier?.results, ...ownResults },
      hasMore: upload.hasMore || undefined,
      testTags: pickDistinctTags([...(state.earlier?.testTags ?? []), ...ownTags]),
      expiresAt: expiry.results,
    };
    const when = state.stored ? ({ path: 'version', equals: state.stored.version } as const) : ABSENT;
    const outcome = await table.put(uploadTallies, row, when);
    if (!outcome.done) return new Again({ ...state, earlier: outcome.item, stored: outcome.item });
    const all = await loadResults(services, instance, { consistent: true });
    const records = all.records.filter(({ testKey }) => ownKeys.has(testKey));
    const recordsOfOthers = records.filter((record) => isRecordOfOther(record, source));
    if (recordsOfOthers.length > 0) {
      const streamedTestKeys = recordsOfOthers.map(({ testKey }) => testKey);
      return new Again({ ...state, stored: row, keysOfOthers: new Set([...state.keysOfOthers, ...streamedTestKeys]) });
    }
    const finals = records.reduce((sum, record) => sum + record.finals, 0);
    const reportedKeys = [...Object.keys(state.earlier?.results ?? {}), ...all.records.map(({ testKey }) => testKey)];
    if (finals > state.replacedFinals) return new Again({ ...state, stored: row, replacedFinals: finals });
    return { own: ownKeys, reported: new Set(reportedKeys), stubs: all.stubs, records, results: all };
  });
}

/** Throws 400 if the instance would have too many tests. Reads its tests only if there is doubt. */
export async function refuseTooMany(
  services: CoreServices,
  instance: Instance,
  results: Readonly<Record<string, CountedTest>>,
): Promise<void> {
  const uploadedKeys = Object.keys(results);
  if (uploadedKeys.length + countKnownTests(instance) <= MODEL_LIMITS.testsPerSpec) return;
  const { expected, reported } = await loadResults(services, instance, { consistent: true });
  if (new Set([...expected, ...reported.keys(), ...uploadedKeys]).size > MODEL_LIMITS.testsPerSpec)
    throw tooManyTests(MODEL_LIMITS.testsPerSpec);
}
