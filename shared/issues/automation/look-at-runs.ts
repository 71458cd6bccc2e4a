/** §5.2 Looks at the ended runs of a project that no earlier pass has looked at. */
import { remove } from '#shared/engine/table/writes.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { endedRuns, endedRunsSpan } from '#shared/model/tests/issue-automation.ts';
import { type Marks, marksOfRun } from '#shared/results/marked-tests.ts';
import { TrackerPaused } from './connections.ts';
import { createAutomatically } from './create-automatically.ts';
import { followRun } from './follow-run.ts';
import { AUTOMATION_LIMITS } from './limits.ts';
import type { Pass } from './pass.ts';
import { resultsIn } from './run-results.ts';

/** Looks at the oldest runs first. Returns whether runs are left for the next pass. */
export async function lookAtRuns(pass: Pass): Promise<boolean> {
  const { services, project } = pass;
  const { table } = services;
  const limit = AUTOMATION_LIMITS.runsPerPass;
  const { rows, lastRead } = await table.query(endedRuns, endedRunsSpan(project), { limit, consistent: true });
  const noticed = rows.map(({ item }) => item);
  const own = noticed.filter(({ branch }) => branch === project.defaultBranchName);
  const found = await table.getMany(runs, own, { consistent: true });
  const counted = found.flatMap((run) => (run && counts(run, project.defaultBranchName) ? run : []));
  const ids = new Set(counted.map(({ runId }) => runId));
  await table.writeMany(noticed.filter(({ runId }) => !ids.has(runId)).map((row) => remove(endedRuns, row)));
  try {
    await lookAt(pass, counted);
  } catch (error) {
    if (error instanceof TrackerPaused) return true;
    throw error;
  }
  return lastRead !== undefined;
}

/**
 * Only complete runs on the default branch count. Incomplete runs may lack results, and failures on other branches may
 * be work in progress.
 */
const counts = ({ completionState, listed }: Run, branch: string): boolean =>
  completionState === 'COMPLETE' && listed?.branch === branch;

async function lookAt(pass: Pass, counted: readonly Run[]): Promise<void> {
  if (counted.length === 0) return;
  const { services, settings } = pass;
  const marks = new Map<string, Marks>();
  for (const run of counted) marks.set(run.runId, await marksOfRun(services, run));
  const resultOf = await resultsIn(services, counted, signaturesToRead(pass, [...marks.values()]));
  const newest = new Map(counted.map((run) => [run.listed?.groups, run.runId]));
  for (const run of counted) {
    await followRun(pass, run, resultOf);
    const own = marks.get(run.runId);
    // An older run of the same groups no longer says whether a test keeps failing.
    if (own && settings.target && newest.get(run.listed?.groups) === run.runId)
      await createAutomatically(pass, run, own);
    await services.table.writeMany([remove(endedRuns, run)]);
  }
}

/**
 * The tests of open issues. Tests of issues that are done are read only if a test of the same spec file failed or was
 * flaky.
 */
function signaturesToRead({ issues }: Pass, all: readonly Marks[]): string[] {
  const specs = new Set(all.flatMap(({ failed, flaky }) => [...failed.tests, ...flaky.tests].map(({ spec }) => spec)));
  return issues.all().flatMap(({ state, spec, signature }) => (state !== 'done' || specs.has(spec) ? signature : []));
}
