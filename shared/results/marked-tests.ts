/** The failed, skipped or flaky tests of a run, in the order of their places and up to a limit. */
import { type Failure, failures, type Mark, markedOfRun, placeOf } from '#shared/model/failures.ts';
import type { Run } from '#shared/model/run.ts';
import type { Services } from '#shared/services.ts';

export interface MarkedTest extends Failure {
  /** Names the test in each run that has it. */
  readonly place: string;
}

export interface MarkedTests {
  readonly tests: readonly MarkedTest[];
  readonly places: ReadonlySet<string>;
  /** The last place up to which all tests are known. `undefined` if all are. */
  readonly end: string | undefined;
}

/** Takes one trip. */
export async function markedTests(
  { table }: Pick<Services, 'table'>,
  { run, mark, limit }: { run: Pick<Run, 'organizationId' | 'runId'>; mark: Mark; limit: number },
): Promise<MarkedTests> {
  const { rows, lastRead } = await table.query(failures, markedOfRun(run, mark), { limit });
  const tests = rows.map(({ item }) => ({ ...item, place: placeOf(item) }));
  const end = lastRead === undefined ? undefined : (tests.at(-1)?.place ?? '');
  return { tests, places: new Set(tests.map(({ place }) => place)), end };
}

export const isKnown = ({ end }: Pick<MarkedTests, 'end'>, place: string): boolean => end === undefined || place <= end;

/** The tests up to the last place that both sides know. */
export const commonTests = (own: MarkedTests, other: MarkedTests): MarkedTest[] =>
  own.tests.filter(({ place }) => isKnown(other, place));
