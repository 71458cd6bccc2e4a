/** §3 Creates a run. One transaction writes the run, the pointers to it, and the entry for its timeout. */
import { refuse } from '#shared/engine/errors.ts';
import { optimistically } from '#shared/engine/table/optimistic.ts';
import { ABSENT, check, put } from '#shared/engine/table/writes.ts';
import { dueRuns } from '#shared/model/due.ts';
import { pullRequestRuns, runsOfPullRequest } from '#shared/model/runs/pull-request.ts';
import { deletions, type Run, runs, runsOfProject } from '#shared/model/runs/run.ts';
import { runsOfGithubBuild } from '#shared/model/runs/run-of-build.ts';
import type { Services } from '#shared/services.ts';
import { runExpired } from './errors.ts';
import { INITIAL } from './states.ts';

/** The attributes of a run that the caller provides. `createRun` sets the initial values of the other attributes. */
export type NewRun = Omit<
  Run,
  | keyof typeof INITIAL
  | 'suites'
  | 'groupsStarted'
  | 'instancesExpected'
  | 'testsExpected'
  | 'dueAt'
  | 'resets'
  | 'version'
>;

/**
 * Creates a run. Returns the existing run if another machine created it first. Throws 422 if the run of this build was
 * deleted recently (`deletedBuildMilliseconds`).
 */
export async function createRun({ table }: Services, beginning: NewRun): Promise<Run> {
  const run: Run = {
    ...beginning,
    ...INITIAL,
    suites: {},
    groupsStarted: 0,
    instancesExpected: 0,
    testsExpected: 0,
    dueAt: beginning.createdAt + beginning.inactivityTimeoutSeconds * 1000,
    resets: 0,
    version: 0,
  };
  const { github, pullRequest, expiry } = run;
  const pointed = { ...run, expiresAt: expiry.results };
  const writes = [
    put(runs, run, ABSENT),
    put(runsOfProject, pointed),
    put(dueRuns, { organizationId: run.organizationId, runId: run.runId, dueAt: run.dueAt }),
    ...(github ? [put(runsOfGithubBuild, { ...pointed, github })] : []),
    ...(pullRequest ? pullRequestPuts({ ...pointed, pullRequestId: pullRequest.id }) : []),
    // If the run was deleted, machines of its build that are still running must not create it again.
    check(deletions, run, ABSENT),
  ];
  let begun: Run | undefined;
  await optimistically('start of a run', async () => {
    begun = (await table.transact(writes)) ? run : await table.get(runs, run, { consistent: true });
    if (begun) return true;
    if (await table.get(deletions, run, { consistent: true })) throw runExpired();
    // Two concurrent transactions may both fail, so that neither creates the run. In that case, this attempt is
    // repeated.
    return false;
  });
  return begun ?? refuse(runExpired());
}

const pullRequestPuts = (run: Parameters<typeof pullRequestRuns.store>[0]) => [
  put(runsOfPullRequest, run),
  put(pullRequestRuns, run),
];
