/** §5.2 Looks at the ended runs of a project: updates its issues, and creates the issues that the settings ask for. */

import { remove } from '#shared/engine/table/writes.ts';
import { endedRuns, getEndedRunsSpan } from '#shared/model/issues/issue-automation.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { type Marks, readMarksOfRun } from '#shared/results/failures/marked-tests.ts';
import { TrackerPaused } from './connections.ts';
import { createAutomatically } from './create-automatically.ts';
import { followRun } from './follow-run.ts';
import { AUTOMATION_LIMITS } from './limits.ts';
import type { Pass } from './pass.ts';
import { readResults } from './run-results.ts';

/** Looks at the oldest runs first. Returns whether runs are left for the next pass. */
export async function followEndedRuns(pass: Pass): Promise<boolean> {
  const { services, project } = pass;
  const { table } = services;
  const limit = AUTOMATION_LIMITS.runsPerPass;
  const { rows, lastRead } = await table.query(endedRuns, getEndedRunsSpan(project), { limit, consistent: true });
  const endedRows = rows.map(({ item }) => item);
  const branchRows = endedRows.filter(({ branch }) => branch === project.defaultBranchName);
  const branchRuns = await table.getMany(runs, branchRows, { consistent: true });
  const countedRuns = branchRuns.flatMap((run) => (run && isCounted(run, project.defaultBranchName) ? run : []));
  const ids = new Set(countedRuns.map(({ runId }) => runId));
  await table.writeMany(endedRows.filter(({ runId }) => !ids.has(runId)).map((row) => remove(endedRuns, row)));
  try {
    await followRuns(pass, countedRuns);
  } catch (error) {
    if (error instanceof TrackerPaused) return true;
    throw error;
  }
  return lastRead !== undefined;
}

/** Incomplete runs may lack results, and failures on other branches may be work in progress. */
const isCounted = ({ completionState, listed }: Run, branch: string): boolean =>
  completionState === 'COMPLETE' && listed?.branch === branch;

async function followRuns(pass: Pass, countedRuns: readonly Run[]): Promise<void> {
  if (countedRuns.length === 0) return;
  const { services, settings } = pass;
  const marksByRunId = new Map<string, Marks>();
  for (const run of countedRuns) marksByRunId.set(run.runId, await readMarksOfRun(services, run));
  const signatures = listSignaturesToRead(pass, [...marksByRunId.values()]);
  const findResult = await readResults(services, countedRuns, signatures);
  const newestRunIds = new Map(countedRuns.map((run) => [run.listed?.groups, run.runId]));
  for (const run of countedRuns) {
    await followRun(pass, run, findResult);
    const runMarks = marksByRunId.get(run.runId);
    // An older run of the same groups no longer says whether a test keeps failing.
    if (runMarks && settings.target && newestRunIds.get(run.listed?.groups) === run.runId)
      await createAutomatically(pass, run, runMarks);
    await services.table.writeMany([remove(endedRuns, run)]);
  }
}

/** Tests of issues that are done are read only if a test of the same spec file failed or was flaky. */
function listSignaturesToRead({ issues }: Pass, marksOfRuns: readonly Marks[]): string[] {
  const markedTests = marksOfRuns.flatMap(({ failed, flaky }) => [...failed.tests, ...flaky.tests]);
  const specs = new Set(markedTests.map(({ spec }) => spec));
  return issues.list().flatMap(({ state, spec, signature }) => (state !== 'done' || specs.has(spec) ? signature : []));
}
