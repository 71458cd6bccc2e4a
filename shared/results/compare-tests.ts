/**
 * Sorts the failed, skipped and flaky tests of a run by their outcomes in its base, the run that it is compared with.
 */

import type { WithTable } from '#shared/engine/table/table.ts';
import { isUnderWay, type Run } from '#shared/model/runs/run.ts';
import { instanceIn } from '#shared/model/tests/failures.ts';
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

/** Reads the outcomes that tests of another run had in this run. */
export async function outcomesIn(
  { table }: WithTable,
  { organizationId, runId }: Run,
  tests: readonly MarkedTest[],
): Promise<OutcomeOf> {
  const keys = tests.map((test) => ({
    organizationId,
    instanceId: instanceIn({ organizationId, runId }, test),
    testKey: test.testKey,
  }));
  const records = await table.getMany(testRecords, keys);
  const streamed = records.map((record) => (record?.done && !record.uploaded ? countedOf(record) : undefined));
  // A test that passed in an upload has no record, so its outcome is read from the uploaded results of its spec file. A
  // streamed record takes precedence, because it is newer than an upload.
  const open = keys.filter((_, index) => !streamed[index]);
  const files = [...new Map(open.map((key) => [key.instanceId, key])).values()];
  const tallies = await table.getMany(uploadTallies, files);
  const tallyOf = new Map(files.map(({ instanceId }, index) => [instanceId, tallies[index]]));
  const outcomes = new Map(
    tests.map(({ place, testKey }, index) => {
      const uploaded = tallyOf.get(keys[index]?.instanceId ?? '')?.results[testKey];
      return [place, streamed[index] ?? uploaded];
    }),
  );
  return ({ place }) => outcomes.get(place);
}
