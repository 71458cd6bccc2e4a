/** A commit is red while the newest execution of a test failed, or a build failed otherwise and was not repeated. */
import type { WithTable } from '#shared/engine/table/table.ts';
import { getRunsOfCommitSpan, type RunOfCommit, runsOfCommit } from '#shared/model/runs/run-of-commit.ts';
import { getBuildId, mergeRuns, sortRuns } from '../builds/merge-runs.ts';
import { type BuildState, pickWorstState } from '../builds/merged-build.ts';
import { RESULT_LIMITS } from '../limits.ts';

export interface CommitState {
  readonly state: BuildState;
  /** The number of builds in each state. */
  readonly builds: Readonly<Record<BuildState, number>>;
  /** The newest run of a build in the state of the commit. */
  readonly run: Pick<RunOfCommit, 'organizationId' | 'projectId' | 'runId'>;
  /** Whether all runs of the commit were read. If not, the commit counts as failed. */
  readonly isWhole: boolean;
}

/**
 * Reads the state of a commit. Returns `undefined` unless several runs tested it. Costs one query, and reads further
 * rows only for failed tests of a run whose spec files a later run has executed, too.
 */
export async function readCommitState(
  services: WithTable,
  commit: Pick<RunOfCommit, 'organizationId' | 'projectId' | 'sha'>,
): Promise<CommitState | undefined> {
  const options = { consistent: true, limit: RESULT_LIMITS.commit.runs, newestFirst: true };
  const { rows, lastRead } = await services.table.query(runsOfCommit, getRunsOfCommitSpan(commit), options);
  if (rows.length < 2) return undefined;
  const { runs } = await mergeRuns(services, sortRuns(rows.map(({ item }) => item)), { onlyStates: true });
  const builds = { passed: 0, canceled: 0, running: 0, failed: 0 };
  for (const all of Map.groupBy(runs, ({ run }) => getBuildId(run)).values())
    builds[pickWorstState(all.map(({ state }) => state))] += 1;
  const isWhole = lastRead === undefined;
  const worstState = pickWorstState(runs.map(({ state }) => state));
  const worstRun = runs.findLast(({ state }) => state === worstState) ?? runs.at(-1);
  return worstRun && { state: isWhole ? worstState : 'failed', builds, run: worstRun.run, isWhole };
}
