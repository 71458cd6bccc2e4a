/**
 * Failed, skipped or flaky tests, up to a limit. A test that several sources reported is listed once, by its worst
 * outcome. Its place identifies it across runs.
 */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { RunKey } from '#shared/model/keys.ts';
import {
  type Failure,
  failures,
  getMarkedFailuresSpan,
  getPlaceInRun,
  getRowPosition,
  getRunFailuresSpan,
  type Mark,
} from '#shared/model/results/failures.ts';
import type { MergedBuild } from '../builds/merged-build.ts';
import { compareTexts } from '../contains.ts';
import { RESULT_LIMITS } from '../limits.ts';

export interface MarkedTest extends Failure {
  /** Identifies the test across runs. */
  readonly place: string;
}

export interface MarkedTests {
  readonly tests: readonly MarkedTest[];
  readonly places: ReadonlySet<string>;
  /** If the list was cut at the limit, it contains all tests up to this place. `undefined` if it is complete. */
  readonly end: string | undefined;
}

export const NO_MARKED_TESTS: MarkedTests = { tests: [], places: new Set(), end: undefined };

/** Reads the tests of a run with one mark (failed, skipped or flaky), in one query. */
export async function readMarkedTests(
  { table }: WithTable,
  { run, mark, limit }: { run: RunKey; mark: Mark; limit: number },
): Promise<MarkedTests> {
  const { rows, lastRead } = await table.query(failures, getMarkedFailuresSpan(run, mark), { limit });
  return toMarkedTests(
    rows.map(({ item }) => item),
    lastRead === undefined,
  );
}

function toMarkedTests(rows: readonly Failure[], isWhole: boolean): MarkedTests {
  const tests = new Map<string, MarkedTest>();
  for (const item of rows) {
    const place = getPlaceInRun(item);
    if (!tests.has(place)) tests.set(place, { ...item, place });
  }
  const last = rows.at(-1);
  const lastPosition = last ? getRowPosition(last) : '';
  const end = isWhole ? undefined : lastPosition;
  return { tests: [...tests.values()], places: new Set(tests.keys()), end };
}

const excludeTests = (list: MarkedTests, ...worseLists: readonly MarkedTests[]): MarkedTests => ({
  ...list,
  tests: list.tests.filter(({ place }) => !worseLists.some(({ places }) => places.has(place))),
});

export interface Marks {
  readonly failed: MarkedTests;
  readonly skipped: MarkedTests;
  readonly flaky: MarkedTests;
}

/** Takes one query for fewer than `RESULT_LIMITS.comparison.marks` tests, and up to two more queries otherwise. */
export async function readMarksOfRun(services: WithTable, run: RunKey): Promise<Marks> {
  const limit = RESULT_LIMITS.comparison.marks;
  const { rows, lastRead } = await services.table.query(failures, getRunFailuresSpan(run), { limit });
  const marks = rows.map(({ item }) => item);
  // Rows are sorted by mark, failed tests first.
  const cut = lastRead?.slice(0, 1) ?? '';
  const readMark = (mark: Mark) =>
    cut === '' || mark < cut || mark === 'f'
      ? toMarkedTests(
          marks.filter((one) => one.mark === mark),
          mark !== cut,
        )
      : readMarkedTests(services, { run, mark, limit });
  const [failedTests, skippedTests, flakyTests] = await Promise.all([readMark('f'), readMark('s'), readMark('y')]);
  return {
    failed: failedTests,
    skipped: excludeTests(skippedTests, failedTests),
    flaky: excludeTests(flakyTests, failedTests, skippedTests),
  };
}

/** The tests of the first list, up to the last place that both lists cover. */
export const pickCommonTests = ({ tests }: MarkedTests, { end }: MarkedTests): MarkedTest[] =>
  tests.filter(({ place }) => end === undefined || place <= end);

/** The failed tests of a build with several tries, as far as they still count. */
export const getOpenMarks = ({ open, isWhole }: Pick<MergedBuild, 'open' | 'isWhole'>, mark: Mark): MarkedTests =>
  mergeFailures(
    open.filter((one) => one.mark === mark),
    isWhole,
  );

/** A test that failed in one try and passed in a later one is flaky, and its row leads to the failed execution. */
export async function readMarksOfBuild(services: WithTable, build: MergedBuild): Promise<Marks> {
  const limit = RESULT_LIMITS.comparison.marks;
  const [failed, skipped] = [getOpenMarks(build, 'f'), getOpenMarks(build, 's')];
  const flaky = await mapConcurrently(build.tries, (run) => readMarkedTests(services, { run, mark: 'y', limit }));
  const all = [...flaky.flatMap(({ tests }) => tests), ...build.repaired].filter((one) => {
    const place = getPlaceInRun(one);
    return !failed.places.has(place) && !skipped.places.has(place);
  });
  const isWhole = build.isWhole && flaky.every(({ end }) => end === undefined);
  return { failed, skipped, flaky: mergeFailures(all, isWhole) };
}

/** Sorts the tests of several runs by place. Of several executions of one test, the last one stands for the test. */
function mergeFailures(all: readonly Failure[], isWhole: boolean): MarkedTests {
  const byPlace = new Map(all.map((one) => [getPlaceInRun(one), one]));
  const tests = [...byPlace].sort(([one], [other]) => compareTexts(one, other)).map(([, test]) => test);
  const limit = RESULT_LIMITS.comparison.marks;
  return toMarkedTests(tests.slice(0, limit), isWhole && tests.length <= limit);
}
