/** Where a failure stands among those of its run: its verdict, and the failures before and after it. */
import { deriveTestKey } from '#shared/model/ids.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { readShownBuild } from '../builds/tries-of-build.ts';
import { sortByBase, sortWithoutBase } from '../comparisons/compare-tests.ts';
import type { Verdict } from '../comparisons/comparison-wire.ts';
import { findBase } from '../comparisons/find-base.ts';
import { sortMarkedTests } from '../comparisons/section-pages.ts';
import { type MarkedTest, readMarksOfBuild, readMarksOfRun } from './marked-tests.ts';

interface NamedTest {
  readonly instanceId: string;
  readonly testId: string;
}

export interface FailurePlace {
  readonly verdict: Extract<Verdict, 'new' | 'still_failing' | 'failed' | 'flaky'>;
  readonly run: Run;
  /** Counted from 0. */
  readonly index: number;
  readonly total: number;
  readonly previous: NamedTest | undefined;
  readonly next: NamedTest | undefined;
}

interface FailurePlaceQuery extends NamedTest {
  readonly organizationId: string;
  readonly runId: string;
  /** The default branch of the project. */
  readonly branch: string;
}

/**
 * `undefined` for a test that neither failed nor was flaky. The failures have the order of the page of the run: new ones
 * first. Flaky tests have a row of their own. Takes as many round trips as the comparison, without its tests.
 */
export async function readFailurePlace(
  services: Services,
  { organizationId, runId, branch, instanceId, testId }: FailurePlaceQuery,
): Promise<FailurePlace | undefined> {
  const key = { organizationId, runId };
  const [run, ownMarks] = await Promise.all([services.table.get(runs, key), readMarksOfRun(services, key)]);
  if (!run) return undefined;
  const build = await readShownBuild(services, run);
  const marks = build ? await readMarksOfBuild(services, build) : ownMarks;
  const testKey = deriveTestKey(testId);
  const isThis = (test: MarkedTest) => test.instanceId === instanceId && test.testKey === testKey;
  if (![marks.failed, marks.flaky].some(({ tests }) => tests.some(isThis))) return undefined;
  const base = await findBase(services, run, branch, build);
  const { byVerdict } = base ? sortByBase(marks, base.failed) : sortWithoutBase(marks);
  const list = (...verdicts: readonly FailurePlace['verdict'][]) =>
    verdicts.flatMap((verdict) =>
      sortMarkedTests(byVerdict.find(([one]) => one === verdict)?.[1] ?? []).map((test) => ({ verdict, test })),
    );
  const row = [list('new', 'still_failing', 'failed'), list('flaky')].find((tests) =>
    tests.some(({ test }) => isThis(test)),
  );
  if (!row) return undefined;
  const index = row.findIndex(({ test }) => isThis(test));
  const neighbours = [row[index - 1]?.test, row[index + 1]?.test];
  const [previous, next] = await nameTests(services, neighbours);
  return { verdict: row[index]?.verdict ?? 'failed', run, index, total: row.length, previous, next };
}

/** Rows of failures have no id of the test, only a digest of it. */
async function nameTests(
  { table }: Pick<Services, 'table'>,
  tests: readonly (MarkedTest | undefined)[],
): Promise<(NamedTest | undefined)[]> {
  const existingTests = tests.filter((test) => test !== undefined);
  const records = await table.getMany(testRecords, existingTests);
  return tests.map((test) => {
    const record = test && records[existingTests.indexOf(test)];
    return record && { instanceId: record.instanceId, testId: record.testId };
  });
}
