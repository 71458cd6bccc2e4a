/** Finds the base of a run: the earlier run that it is compared with. */
import { type ApiError, invalidRequest, notFound } from '#shared/engine/errors.ts';
import type { Rows, WithTable } from '#shared/engine/table/table.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { completeRuns, getEarlierCompleteRunsSpan, hashGroups } from '#shared/model/runs/complete-run.ts';
import { groups } from '#shared/model/runs/group.ts';
import { getRunMembersSpan, type Run, runs } from '#shared/model/runs/run.ts';
import type { MergedBuild } from '../builds/merged-build.ts';
import { readMergedBuild } from '../builds/tries-of-build.ts';
import { getOpenMarks, type MarkedTests, readMarkedTests } from '../failures/marked-tests.ts';
import { RESULT_LIMITS } from '../limits.ts';

export interface Base {
  readonly run: Run;
  readonly failed: MarkedTests;
}

const LIMITS = RESULT_LIMITS.comparison;

/**
 * The newest complete older run on `branch` with the same groups. Gives up after `indexReads` reads of deleted runs.
 */
export async function findBase(
  { table }: WithTable,
  run: Run,
  branch: string,
  build?: MergedBuild,
): Promise<Base | undefined> {
  // A later try may repeat only some groups of its build.
  const groups = await readGroupsDigest({ table }, build?.tries[0] ?? run);
  const span = getEarlierCompleteRunsSpan({ ...run, branch, groups }, run.createdAt);
  let after: string | undefined;
  for (let reads = 0; reads < LIMITS.indexReads; reads += 1) {
    const options = { limit: LIMITS.runs, newestFirst: true, after };
    const { rows, lastRead }: Rows<RunKey> = await table.query(completeRuns, span, options);
    for (const { item } of rows) {
      // The index may still contain a run that was just deleted.
      const base = await readBase({ table }, item);
      if (base && !isOfBuild(base.run, run)) return base;
    }
    if (lastRead === undefined) return undefined;
    after = lastRead;
  }
  return undefined;
}

/** Whether both runs are tries of the same build. A build is never compared with itself. */
const isOfBuild = ({ tryOf: one }: Run, { tryOf: other }: Run): boolean =>
  one !== undefined && one.build === other?.build;

/** Reads a run with its failed tests, in one round trip. If its build has several tries, their merged view counts. */
async function readBase(services: WithTable, key: RunKey): Promise<Base | undefined> {
  const [run, failedTests] = await Promise.all([
    services.table.get(runs, key),
    readMarkedTests(services, { run: key, mark: 'f', limit: LIMITS.marks }),
  ]);
  const build = run && (await readMergedBuild(services, run));
  return run && { run, failed: build ? getOpenMarks(build, 'f') : failedTests };
}

/** The digest of the groups of a run. Reads the groups only if the row of the run does not contain them. */
async function readGroupsDigest({ table }: WithTable, run: Run): Promise<string> {
  if (run.listed) return run.listed.groups;
  const members = run.groups ?? (await table.queryAll(groups, getRunMembersSpan(run, 'GROUP')));
  return hashGroups(members.map(({ groupId }) => groupId));
}

/** Returns the run that the client chose as the base, or the error if it cannot be the base. */
export async function readChosenBase(services: WithTable, run: Run, baseRunId: string): Promise<Base | ApiError> {
  if (baseRunId === run.runId) return invalidRequest('`base_run_id` names this run. Choose another run');
  const base = await readBase(services, { organizationId: run.organizationId, runId: baseRunId });
  if (base?.run.projectId !== run.projectId) return notFound('Run named by `base_run_id`');
  if (base.run.completionState !== 'COMPLETE')
    return invalidRequest('`base_run_id` names a run that did not complete. Choose a complete run');
  return base;
}
