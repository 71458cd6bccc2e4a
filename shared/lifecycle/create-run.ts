/** §3 Creates a run. One transaction writes the run, the pointers to it, and the entry for its timeout. */
import { refuse } from '#shared/engine/errors.ts';
import { retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { ABSENT, check, put } from '#shared/engine/table/writes.ts';
import { dueRuns } from '#shared/model/due.ts';
import { pullRequestRuns, runsOfPullRequest } from '#shared/model/runs/pull-request.ts';
import { deletions, type Run, runs, runsOfProject } from '#shared/model/runs/run.ts';
import { runsOfGithubBuild } from '#shared/model/runs/run-of-build.ts';
import { updateRunOfCommit } from '#shared/model/runs/run-of-commit.ts';
import type { Services } from '#shared/services.ts';
import { runExpired } from './errors.ts';
import { INITIAL } from './states.ts';

/** The attributes with which every run begins. */
const BEGINNING = {
  ...INITIAL,
  suites: {},
  groupsStarted: 0,
  instancesExpected: 0,
  testsExpected: 0,
  resets: 0,
  version: 0,
};

/** The attributes of a run that the caller provides. */
export type NewRun = Omit<Run, keyof typeof BEGINNING | 'dueAt'>;

/**
 * Creates a run. Returns the existing run if another machine created it first. Throws 422 if the run of this build was
 * deleted recently (`deletedBuildMilliseconds`).
 */
export async function createRun({ table }: Services, beginning: NewRun): Promise<Run> {
  const run: Run = {
    ...beginning,
    ...BEGINNING,
    dueAt: beginning.createdAt + beginning.inactivityTimeoutSeconds * 1000,
  };
  const { organizationId, runId, dueAt, github, pullRequest, expiry } = run;
  const pointed = { ...run, expiresAt: expiry.results };
  const ofPullRequest = pullRequest && { ...pointed, pullRequestId: pullRequest.id };
  const writes = [
    put(runs, run, ABSENT),
    put(runsOfProject, pointed),
    put(dueRuns, { organizationId, runId, dueAt }),
    ...updateRunOfCommit(run),
    ...(github ? [put(runsOfGithubBuild, { ...pointed, github })] : []),
    ...(ofPullRequest ? [put(runsOfPullRequest, ofPullRequest), put(pullRequestRuns, ofPullRequest)] : []),
    // If the run was deleted, machines of its build that are still running must not create it again.
    check(deletions, run, ABSENT),
  ];
  let begun: Run | undefined;
  await retryOptimistically('start of a run', async () => {
    begun = (await table.transact(writes)) ? run : await table.get(runs, run, { consistent: true });
    if (begun) return true;
    if (await table.get(deletions, run, { consistent: true })) throw runExpired();
    // Two concurrent transactions may both fail, so that neither creates the run. In that case, this attempt is
    // repeated.
    return false;
  });
  return begun ?? refuse(runExpired());
}
