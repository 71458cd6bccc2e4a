/**
 * Reads the failed, skipped or flaky tests of a run, up to a limit. They are sorted by place, which identifies a test
 * across runs.
 */

import type { WithTable } from '#shared/engine/table/table.ts';
import type { RunKey } from '#shared/model/keys.ts';
import {
  type Failure,
  failures,
  failuresOfRun,
  type Mark,
  markedOfRun,
  placeOf,
} from '#shared/model/tests/failures.ts';
import { RESULT_LIMITS } from './limits.ts';

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
export async function markedTests(
  { table }: WithTable,
  { run, mark, limit }: { run: RunKey; mark: Mark; limit: number },
): Promise<MarkedTests> {
  const { rows, lastRead } = await table.query(failures, markedOfRun(run, mark), { limit });
  return listOf(
    rows.map(({ item }) => item),
    lastRead === undefined,
  );
}

function listOf(marked: readonly Failure[], isWhole: boolean): MarkedTests {
  const tests = marked.map((item) => ({ ...item, place: placeOf(item) }));
  const end = isWhole ? undefined : (tests.at(-1)?.place ?? '');
  return { tests, places: new Set(tests.map(({ place }) => place)), end };
}

export interface Marks {
  readonly failed: MarkedTests;
  readonly skipped: MarkedTests;
  readonly flaky: MarkedTests;
}

/**
 * Reads the failed, skipped and flaky tests of a run. Takes one query if the run has fewer than
 * `RESULT_LIMITS.comparison.marks` of them in total, and up to two more queries otherwise.
 */
export async function marksOfRun(services: WithTable, run: RunKey): Promise<Marks> {
  const limit = RESULT_LIMITS.comparison.marks;
  const { rows, lastRead } = await services.table.query(failures, failuresOfRun(run), { limit });
  const read = rows.map(({ item }) => item);
  // Rows are sorted by mark, failed tests first.
  const cut = lastRead?.slice(0, 1) ?? '';
  const of = (mark: Mark) =>
    cut === '' || mark < cut || mark === 'f'
      ? listOf(
          read.filter((one) => one.mark === mark),
          mark !== cut,
        )
      : markedTests(services, { run, mark, limit });
  const [failed, skipped, flaky] = await Promise.all([of('f'), of('s'), of('y')]);
  return { failed, skipped, flaky };
}

/** The tests of the first list, up to the last place that both lists cover. */
export const commonTests = ({ tests }: MarkedTests, { end }: MarkedTests): MarkedTest[] =>
  tests.filter(({ place }) => end === undefined || place <= end);
