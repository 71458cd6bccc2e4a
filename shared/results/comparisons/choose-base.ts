/** Helps a person to choose the run with which a run is compared: by a list, an address, a build or a commit. */
import type { WithTable } from '#shared/engine/table/table.ts';
import { getRunsSpan, type Run, runs, runsOfProject } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { RESULT_LIMITS } from '../limits.ts';
import { locateRun } from '../runs/find-run.ts';

export interface BaseChoice {
  readonly run: Run;
  /** Why the run may be a good base. */
  readonly reason: 'branch' | 'commit' | 'default' | 'other';
}

type AtRun = Pick<Run, 'organizationId' | 'projectId' | 'runId'>;

async function readRecentRuns({ table }: WithTable, at: AtRun): Promise<Run[]> {
  const options = { limit: RESULT_LIMITS.recentRuns, newestFirst: true };
  const { rows } = await table.query(runsOfProject, getRunsSpan(at), options);
  const recentRuns = await table.getMany(
    runs,
    rows.map(({ item }) => item),
  );
  return recentRuns.filter((run) => run !== undefined);
}

/**
 * The latest complete runs, one for each reason and branch: the previous one of the same branch, the latest of the
 * default branch, others of the same commit, and the latest of each other branch.
 */
export async function listBaseChoices(services: WithTable, at: AtRun, defaultBranch: string): Promise<BaseChoice[]> {
  const recentRuns = await readRecentRuns(services, at);
  const run = recentRuns.find(({ runId }) => runId === at.runId) ?? (await services.table.get(runs, at));
  if (!run) return [];
  const choices = new Map<string, BaseChoice>();
  for (const one of recentRuns) {
    if (one.runId === run.runId || one.completionState !== 'COMPLETE') continue;
    const reason = findReason(run, one, defaultBranch);
    const key = reason === 'commit' ? one.runId : `branch ${one.commit.branch}`;
    if (reason === 'branch' && one.createdAt > run.createdAt) continue;
    if (!choices.has(key)) choices.set(key, { run: one, reason });
  }
  return [...choices.values()].toSorted((one, other) => REASONS.indexOf(one.reason) - REASONS.indexOf(other.reason));
}

const REASONS: readonly BaseChoice['reason'][] = ['branch', 'default', 'commit', 'other'];

function findReason(run: Run, one: Run, defaultBranch: string): BaseChoice['reason'] {
  if (one.commit.sha !== null && one.commit.sha === run.commit.sha) return 'commit';
  if (one.commit.branch === run.commit.branch) return 'branch';
  return one.commit.branch === defaultBranch ? 'default' : 'other';
}

const ADDRESS = /\/runs\/([^/?#]{1,200})/;
const COMMIT = /^[0-9a-f]{7,40}$/i;

/**
 * Finds a run by the address of one of its pages, its id, its build, or the beginning of its commit, which is sought in
 * the recent runs. `undefined` if there is none.
 */
export async function findRunByText(services: Services, at: AtRun, text: string): Promise<string | undefined> {
  const name = text.trim();
  const { organizationId, projectId } = at;
  const id = ADDRESS.exec(name)?.[1] ?? name;
  const [byId, byBuild] = await Promise.all([
    services.table.get(runs, { organizationId, runId: id }),
    locateRun(services, organizationId, { projectId, ciBuildId: name }),
  ]);
  if (byId?.projectId === projectId) return byId.runId;
  if (byBuild) return byBuild.runId;
  if (!COMMIT.test(name)) return undefined;
  const recentRuns = await readRecentRuns(services, at);
  return recentRuns.find(({ runId, commit }) => runId !== at.runId && commit.sha?.startsWith(name.toLowerCase()))
    ?.runId;
}
