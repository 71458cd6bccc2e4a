/**
 * Sorts the failed, skipped and flaky tests of a run by their outcomes in its base, the run that it is compared with.
 */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { isUnderWay, type Run } from '#shared/model/runs/run.ts';
import { deriveInstanceIdInRun, type Failure } from '#shared/model/tests/failures.ts';
import type { CountedTest } from '#shared/model/tests/outcomes.ts';
import { testRecords } from '#shared/model/tests/test-record.ts';
import { uploadTallies } from '#shared/model/tests/upload-tally.ts';
import type { Verdict } from './comparison-wire.ts';
import { RESULT_LIMITS } from './limits.ts';
import { commonTests, type MarkedTest, type MarkedTests, type Marks } from './marked-tests.ts';
import { countedOf } from './outcome.ts';

type ByVerdict = readonly (readonly [Verdict, readonly MarkedTest[]])[];

export interface Sorted {
  /** The tests by verdict, without those in `gone`, whose verdict is not known yet. */
  readonly byVerdict: ByVerdict;
  /**
   * Tests that failed in the base and are neither failed, skipped nor flaky in the run. Their results in the run
   * determine their verdict.
   */
  readonly gone: readonly MarkedTest[];
  /** Whether all tests were compared. False if a limit left out some. */
  readonly isWhole: boolean;
}

const isWhole = (...all: readonly MarkedTests[]): boolean => all.every(({ end }) => end === undefined);

export const sortWithoutBase = ({ failed, skipped, flaky }: Marks): Sorted => ({
  byVerdict: [
    ['failed', failed.tests],
    ['flaky', flaky.tests],
    ['not_run', skipped.tests],
  ],
  gone: [],
  isWhole: isWhole(failed, skipped, flaky),
});

/**
 * A failure is `still_failing` only if the test also failed in the base. It is `new` even if the test was skipped or
 * flaky there.
 */
export function sortByBase({ failed, skipped, flaky }: Marks, failedBefore: MarkedTests): Sorted {
  const failedNow = commonTests(failed, failedBefore);
  const gone = commonTests(failedBefore, failed).filter(
    ({ place }) => ![failed, skipped, flaky].some(({ places }) => places.has(place)),
  );
  const lookedUp = gone.slice(0, RESULT_LIMITS.comparison.lookups);
  return {
    byVerdict: [
      ['new', failedNow.filter(({ place }) => !failedBefore.places.has(place))],
      ['still_failing', failedNow.filter(({ place }) => failedBefore.places.has(place))],
      ['flaky', flaky.tests],
      ['fixed', []],
      ['not_run', skipped.tests],
    ],
    gone: lookedUp,
    isWhole: isWhole(failed, skipped, flaky, failedBefore) && lookedUp.length === gone.length,
  };
}

export type OutcomeOf = (of: MarkedTest) => CountedTest | undefined;

/** The verdicts of all tests, including those in `gone`. */
export function withGone({ byVerdict, gone }: Sorted, run: Run, outcomeOf: OutcomeOf): ByVerdict {
  return byVerdict.map(([verdict, tests]) => {
    if (verdict === 'fixed') return [verdict, gone.filter((test) => isCleanPass(outcomeOf(test)))];
    if (verdict !== 'not_run') return [verdict, tests];
    // While the run is in progress, a test without a result may still run.
    const isNotRun = (now: CountedTest | undefined) => (now ? now.outcome === 'pending' : !isUnderWay(run));
    return [verdict, [...tests, ...gone.filter((test) => isNotRun(outcomeOf(test)))]];
  });
}

const isCleanPass = (now: CountedTest | undefined): boolean => now?.outcome === 'passed' && !now.flaky;

/** Reads the outcomes that tests of another run had in the newest of these runs that executed them. */
export async function newestOutcomesIn(
  services: WithTable,
  all: readonly RunKey[],
  tests: readonly MarkedTest[],
): Promise<OutcomeOf> {
  const outcomes = await mapConcurrently(all, (run) => outcomesIn(services, run, tests));
  return (test) => {
    const known = outcomes.map((outcomeOf) => outcomeOf(test));
    return known.findLast((one) => one && one.outcome !== 'pending') ?? known.findLast((one) => one !== undefined);
  };
}

type Place = Pick<Failure, 'organizationId' | 'instanceId' | 'testKey'>;

/** Reads the outcomes that tests of another run had in this run. */
async function outcomesIn(
  services: WithTable,
  { organizationId, runId }: RunKey,
  tests: readonly MarkedTest[],
): Promise<OutcomeOf> {
  const places = tests.map((test) => ({
    organizationId,
    instanceId: deriveInstanceIdInRun({ organizationId, runId }, test),
    testKey: test.testKey,
  }));
  const found = await outcomesAt(services, places);
  const outcomes = new Map(tests.map(({ place }, index) => [place, found[index]]));
  return ({ place }) => outcomes.get(place);
}

/** Reads the outcomes of tests, in their order. A test without a result has none. */
export async function outcomesAt(
  { table }: WithTable,
  places: readonly Place[],
  options: { readonly consistent?: boolean } = {},
): Promise<(CountedTest | undefined)[]> {
  const records = await table.getMany(testRecords, places, options);
  const streamed = records.map((record) => (record?.done && !record.uploaded ? countedOf(record) : undefined));
  // A test that passed in an upload has no record, so its outcome is read from the uploaded results of its spec file. A
  // streamed record takes precedence, because it is newer than an upload.
  const open = places.filter((_, index) => !streamed[index]);
  const files = [...new Map(open.map((place) => [place.instanceId, place])).values()];
  const tallies = await table.getMany(uploadTallies, files, options);
  const tallyOf = new Map(files.map(({ instanceId }, index) => [instanceId, tallies[index]]));
  return places.map(({ instanceId, testKey }, index) => streamed[index] ?? tallyOf.get(instanceId)?.results[testKey]);
}
