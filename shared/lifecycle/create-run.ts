/** §3 Creates a run. One transaction writes the run, the pointers to it, and the entry for its timeout. */
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { ABSENT, check, put, type Write } from '#shared/engine/table/writes.ts';
import { dueRuns } from '#shared/model/due.ts';
import { pullRequestRuns, runsOfPullRequest } from '#shared/model/runs/pull-request.ts';
import { deletions, type Run, runs, runsOfProject } from '#shared/model/runs/run.ts';
import { runsOfGithubBuild } from '#shared/model/runs/run-of-build.ts';
import { updateRunOfCommit } from '#shared/model/runs/run-of-commit.ts';
import { replaceErasedAuthor } from '#shared/organizations/erased-commit.ts';
import type { Services } from '#shared/services.ts';
import { runExpired } from './errors.ts';
import { INITIAL } from './states.ts';

const INITIAL_ATTRIBUTES = {
  ...INITIAL,
  suites: {},
  groupsStarted: 0,
  instancesExpected: 0,
  testsExpected: 0,
  resets: 0,
  version: 0,
};

export type NewRun = Omit<Run, keyof typeof INITIAL_ATTRIBUTES | 'dueAt'>;

/** Returns the run if it exists. Throws 422 if it was deleted less than `deletedBuildMilliseconds` ago. */
export async function createRun({ table }: Services, beginning: NewRun): Promise<Run> {
  const run: Run = {
    ...beginning,
    commit: await replaceErasedAuthor({ table }, beginning),
    ...INITIAL_ATTRIBUTES,
    dueAt: beginning.createdAt + beginning.inactivityTimeoutSeconds * 1000,
  };
  const { organizationId, runId, dueAt, github, pullRequest, expiry } = run;
  const pointer = { ...run, expiresAt: expiry.results };
  const writes: Write[] = [
    put(runs, run, ABSENT),
    put(runsOfProject, pointer),
    put(dueRuns, { organizationId, runId, dueAt }),
    ...updateRunOfCommit(run),
    // If the run was deleted, machines of its build that are still running must not create it again.
    check(deletions, run, ABSENT),
  ];
  if (github) writes.push(put(runsOfGithubBuild, { ...pointer, github }));
  if (pullRequest) {
    const pullRequestPointer = { ...pointer, pullRequestId: pullRequest.id };
    writes.push(put(runsOfPullRequest, pullRequestPointer), put(pullRequestRuns, pullRequestPointer));
  }
  return retryOptimistically('start of a run', async () => {
    const createdRun = (await table.transact(writes)) ? run : await table.get(runs, run, { consistent: true });
    if (createdRun) return createdRun;
    if (await table.get(deletions, run, { consistent: true })) throw runExpired();
    // Two concurrent transactions may both fail, so that neither creates the run.
    return AGAIN;
  });
}
