/** Sorts the failed, skipped and flaky tests of a run by their outcomes in its base. */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { deriveInstanceIdInRun, type Failure } from '#shared/model/results/failures.ts';
import type { CountedTest } from '#shared/model/results/outcomes.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { uploadTallies } from '#shared/model/results/upload-tally.ts';
import { isUnderWay, type Run } from '#shared/model/runs/run.ts';
import { type MarkedTest, type MarkedTests, type Marks, pickCommonTests } from '../failures/marked-tests.ts';
import { RESULT_LIMITS } from '../limits.ts';
import { toCountedTest } from '../outcome.ts';
import type { Verdict } from './comparison-wire.ts';

type ByVerdict = readonly (readonly [Verdict, readonly MarkedTest[]])[];

export interface SortedTests {
  /** The tests by verdict, without those in `gone`, whose verdict is not known yet. */
  readonly byVerdict: ByVerdict;
  /** Tests that failed in the base and have no mark in the run. Their results in the run determine their verdict. */
  readonly gone: readonly MarkedTest[];
  /** The verdicts that further tests may have, because a limit left them out. */
  readonly cutVerdicts: readonly Verdict[];
}

const isWhole = (...all: readonly MarkedTests[]): boolean => all.every(({ end }) => end === undefined);

export const sortWithoutBase = ({ failed, skipped, flaky }: Marks): SortedTests => ({
  byVerdict: [
    ['failed', failed.tests],
    ['flaky', flaky.tests],
    ['not_run', skipped.tests],
  ],
  gone: [],
  cutVerdicts: [
    ...(isWhole(failed) ? [] : (['failed'] as const)),
    ...(isWhole(flaky) ? [] : (['flaky'] as const)),
    ...(isWhole(skipped) ? [] : (['not_run'] as const)),
  ],
});

/** A failure is `new` unless the test also failed in the base, even if it was skipped or flaky there. */
export function sortByBase({ failed, skipped, flaky }: Marks, failedBefore: MarkedTests): SortedTests {
  const failedNow = pickCommonTests(failed, failedBefore);
  const goneTests = pickCommonTests(failedBefore, failed).filter(
    ({ place }) => ![failed, skipped, flaky].some(({ places }) => places.has(place)),
  );
  const lookedUpTests = goneTests.slice(0, RESULT_LIMITS.comparison.lookups);
  const areFailuresWhole = isWhole(failed, failedBefore);
  const areGoneTestsWhole = areFailuresWhole && lookedUpTests.length === goneTests.length;
  return {
    byVerdict: [
      ['new', failedNow.filter(({ place }) => !failedBefore.places.has(place))],
      ['still_failing', failedNow.filter(({ place }) => failedBefore.places.has(place))],
      ['flaky', flaky.tests],
      ['fixed', []],
      ['not_run', skipped.tests],
    ],
    gone: lookedUpTests,
    cutVerdicts: [
      ...(areFailuresWhole ? [] : (['new', 'still_failing'] as const)),
      ...(isWhole(flaky) ? [] : (['flaky'] as const)),
      ...(areGoneTestsWhole ? [] : (['fixed'] as const)),
      ...(areGoneTestsWhole && isWhole(skipped) ? [] : (['not_run'] as const)),
    ],
  };
}

export type OutcomeOf = (test: MarkedTest) => CountedTest | undefined;

/** Tests without a result in the run, whose spec file is not part of it either. */
export const listAbsentTests = (
  { gone }: SortedTests,
  outcomeOf: OutcomeOf,
  isPartOfRun: (test: MarkedTest) => boolean,
): MarkedTest[] => gone.filter((test) => !outcomeOf(test) && !isPartOfRun(test));

/** `absentTests`: tests that no section contains. */
export function includeGoneTests(
  { byVerdict, gone }: SortedTests,
  run: Run,
  outcomeOf: OutcomeOf,
  absentTests: readonly MarkedTest[] = [],
): ByVerdict {
  return byVerdict.map(([verdict, tests]) => {
    if (verdict === 'fixed') return [verdict, gone.filter((test) => isCleanPass(outcomeOf(test)))];
    if (verdict !== 'not_run') return [verdict, tests];
    // While the run is in progress, a test without a result may still run.
    const isNotRun = (result: CountedTest | undefined) => (result ? result.outcome === 'pending' : !isUnderWay(run));
    const goneTests = gone.filter((test) => isNotRun(outcomeOf(test)) && !absentTests.includes(test));
    return [verdict, [...tests, ...goneTests]];
  });
}

const isCleanPass = (result: CountedTest | undefined): boolean => result?.outcome === 'passed' && !result.flaky;

/** Reads the outcomes that tests of another run had in the newest of these runs that executed them. */
export async function readNewestOutcomes(
  services: WithTable,
  all: readonly RunKey[],
  tests: readonly MarkedTest[],
): Promise<OutcomeOf> {
  const outcomes = await mapConcurrently(all, (run) => readRunOutcomes(services, run, tests));
  return (test) => {
    const testOutcomes = outcomes.map((outcomeOf) => outcomeOf(test));
    return (
      testOutcomes.findLast((one) => one && one.outcome !== 'pending') ??
      testOutcomes.findLast((one) => one !== undefined)
    );
  };
}

type Place = Pick<Failure, 'organizationId' | 'instanceId' | 'testKey'>;

async function readRunOutcomes(
  services: WithTable,
  { organizationId, runId }: RunKey,
  tests: readonly MarkedTest[],
): Promise<OutcomeOf> {
  const places = tests.map((test) => ({
    organizationId,
    instanceId: deriveInstanceIdInRun({ organizationId, runId }, test),
    testKey: test.testKey,
  }));
  const results = await readOutcomes(services, places);
  const outcomes = new Map(tests.map(({ place }, index) => [place, results[index]]));
  return ({ place }) => outcomes.get(place);
}

/** Reads the outcomes of tests, in their order. A test without a result has none. */
export async function readOutcomes(
  { table }: WithTable,
  places: readonly Place[],
  options: { readonly consistent?: boolean } = {},
): Promise<(CountedTest | undefined)[]> {
  if (places.length === 0) return [];
  const lookups = places.map((place) => ({
    record: makeLookup(testRecords, place),
    tally: makeLookup(uploadTallies, place),
    testKey: place.testKey,
  }));
  const rows = await table.getTogether(
    lookups.flatMap(({ record, tally }) => [record, tally]),
    options,
  );
  // A test that passed in an upload has no record, so its outcome is that in the uploaded results of its spec file. A
  // streamed record takes precedence, because it is newer than an upload.
  return lookups.map(({ testKey, ...lookup }) => {
    const record = rows.of(lookup.record);
    return record?.done && !record.uploaded ? toCountedTest(record) : rows.of(lookup.tally)?.results[testKey];
  });
}
