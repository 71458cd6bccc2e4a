/** The data that a test inherits from its run, group and instance. */

import { type Lookup, type LookupResult, makeLookup } from '#shared/engine/table/found.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { deriveInstanceId, extractRunId } from '#shared/model/ids.ts';
import type { RunKey } from '#shared/model/keys.ts';
import type { Execution } from '#shared/model/results/execution.ts';
import { type Instance, instances } from '#shared/model/results/instance.ts';
import { type Group, groups } from '#shared/model/runs/group.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import { INGEST_LIMITS } from './limits.ts';
import type { ReportedTest } from './reported.ts';

export interface Parents {
  readonly run: Run;
  readonly group: Group | undefined;
  readonly instance: Instance;
}

/**
 * Reads the run, the group and the instance. The reads are strongly consistent, because the instance may have been
 * created milliseconds ago. One read is enough if `groupId` is the group of the instance. Otherwise, a second read gets
 * the group. Returns `undefined` if the run or the instance does not exist.
 */
export async function findParents(
  { table }: WithTable,
  { organizationId, instanceId }: Pick<Instance, 'organizationId' | 'instanceId'>,
  groupId: string,
): Promise<Parents | undefined> {
  const runId = extractRunId(instanceId);
  if (runId === undefined) return undefined;
  const key = { organizationId, runId, instanceId };
  const lookups = [makeLookup(runs, key), makeLookup(instances, key), makeLookup(groups, { ...key, groupId })] as const;
  const rows = await table.getTogether(lookups, { consistent: true });
  const run = rows.of(lookups[0]);
  const instance = rows.of(lookups[1]);
  const group = rows.of(lookups[2]);
  if (!run || !instance) return undefined;
  return { run, instance, group: instance.groupId === groupId ? group : await table.get(groups, instance) };
}

/** The run, the groups and the spec files that get reported results, as they were before these results were stored. */
export interface Targets {
  readonly run: Run | undefined;
  readonly groupOf: (groupId: string) => Group | undefined;
  /** Returns `undefined` if no suite and no earlier result named the spec file. */
  readonly instanceOf: (instanceId: string) => Instance | undefined;
}

/**
 * Reads the run, the groups and the spec files to which results will be added, in one round trip for up to 100 rows.
 * The reads are strongly consistent. `others` are further rows that the caller needs.
 */
export async function findTargets(
  { table }: WithTable,
  { organizationId, runId }: RunKey,
  specFiles: readonly { readonly groupId: string; readonly spec: string }[],
  others: readonly Lookup<unknown>[] = [],
): Promise<Targets & { readonly found: LookupResult }> {
  const runLookup = makeLookup(runs, { organizationId, runId });
  const makeGroupLookup = (groupId: string) => makeLookup(groups, { organizationId, runId, groupId });
  const makeInstanceLookup = (instanceId: string) => makeLookup(instances, { organizationId, runId, instanceId });
  const lookups = specFiles.flatMap(({ groupId, spec }) => [
    makeGroupLookup(groupId),
    makeInstanceLookup(deriveInstanceId({ runId, groupId, spec })),
  ]);
  const rows = await table.getTogether([runLookup, ...lookups, ...others], { consistent: true });
  return {
    found: rows,
    run: rows.of(runLookup),
    groupOf: (groupId) => rows.of(makeGroupLookup(groupId)),
    instanceOf: (instanceId) => rows.of(makeInstanceLookup(instanceId)),
  };
}

/** What a test needs of the rows above it. */
export interface ExecutionParents {
  readonly run: Pick<Run, 'projectId' | 'tags' | 'framework' | 'commit' | 'expiry'>;
  readonly group: Pick<Group, 'tags' | 'environment'> | undefined;
  readonly instance: Pick<Instance, 'organizationId' | 'instanceId' | 'groupId' | 'spec' | 'claims'>;
}

export const buildExecution = (
  { run, group, instance }: ExecutionParents,
  test: Pick<ReportedTest, 'testId' | 'title' | 'machineId'>,
): Execution => ({
  projectId: run.projectId,
  groupId: instance.groupId,
  spec: instance.spec,
  machineId: test.machineId ?? instance.claims.at(-1)?.machineId ?? '',
  testId: test.testId,
  title: test.title,
  tags: mergeTags(run.tags, group?.tags ?? []),
  environment: group?.environment ?? null,
  framework: run.framework.type,
  branch: run.commit.branch,
  sha: run.commit.sha,
  authorName: run.commit.authorName,
  authorEmail: run.commit.authorEmail,
  message:
    run.commit.message?.split('\n', 1)[0]?.slice(0, INGEST_LIMITS.commitSubjectCharacters).toWellFormed() ?? null,
});
