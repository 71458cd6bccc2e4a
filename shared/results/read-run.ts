/** §4.4 One run with its spec files, and the groups of any run. */
import type * as z from 'zod';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { groups } from '#shared/model/group.ts';
import { type Instance, instances, testsOf } from '#shared/model/instance.ts';
import { type GroupSummary, membersSpan, type Run } from '#shared/model/run.ts';
import { runRows, runRowsSpan } from '#shared/model/run-rows.ts';
import { shownFiles, shownFilesOfRun } from '#shared/model/shown-files.ts';
import { mergeTags } from '#shared/model/tags.ts';
import type { Services } from '#shared/services.ts';
import type { SpecFiles } from './files-wire.ts';
import { summarize } from './group-summary.ts';
import { withLiveCounters } from './live-counters.ts';
import { presentRun } from './run-feed.ts';
import type { RunSpec, WholeRun } from './run-wire.ts';
import { specFilesOf } from './spec-files.ts';
import { isoTime } from './test-result.ts';

export async function readRun(
  services: Services,
  key: { organizationId: string; runId: string },
): Promise<z.infer<typeof WholeRun>> {
  const { table } = services;
  const [rows, shown] = await Promise.all([
    table.queryAll(runRows, runRowsSpan(key)),
    table.queryAll(shownFiles, shownFilesOfRun(key)),
  ]);
  const run = rows.find((row) => row.kind === 'run')?.run ?? refuse(notFound('Run'));
  const files = rows.flatMap((row) => (row.kind === 'instance' ? row.instance : []));
  const all = await withLiveCounters(services, run, files);
  const members = rows.flatMap((row) => (row.kind === 'group' ? row.group : []));
  const summary = run.groups ?? summarize(run, members, all, services.now());
  const tagsOf = new Map(summary.map(({ groupId, tags }) => [groupId, tags]));
  const filesOf = await specFilesOf(services, all, shown);
  const specs = all.map((instance) =>
    presentSpec(instance, mergeTags(run.tags, tagsOf.get(instance.groupId) ?? []), filesOf(instance)),
  );
  return { ...presentRun(run, summary), specs: specs.sort(bySpec) };
}

/** A run with only final tests stores its groups when it ends. Other runs are counted from their instances. */
export async function groupsOf(services: Services, run: Run): Promise<readonly GroupSummary[]> {
  if (run.groups) return run.groups;
  const { table, now } = services;
  const members = await table.queryAll(groups, membersSpan(run, 'GROUP'));
  const files = await table.queryAll(instances, membersSpan(run, 'INSTANCE'));
  return summarize(run, members, await withLiveCounters(services, run, files), now());
}

const bySpec = (one: { groupId: string; spec: string }, other: { groupId: string; spec: string }): number =>
  one.groupId < other.groupId
    ? -1
    : one.groupId > other.groupId
      ? 1
      : one.spec < other.spec
        ? -1
        : one.spec > other.spec
          ? 1
          : 0;

function presentSpec(instance: Instance, tags: string[], files: z.infer<typeof SpecFiles>): z.infer<typeof RunSpec> {
  const { counters } = instance;
  const [first] = instance.claims;
  return {
    spec: instance.spec,
    groupId: instance.groupId,
    instanceId: instance.instanceId,
    claimedAt: first ? isoTime(first.at) : null,
    completedAt: instance.completedAt === undefined ? null : isoTime(instance.completedAt),
    machineId: first?.machineId ?? '',
    tags,
    ...(instance.worker ? { worker: instance.worker } : {}),
    results:
      counters.overall === 0
        ? null
        : {
            stats: { ...counters, tests: testsOf(instance) },
            flaky: counters.flaky,
            exception: null,
            ...files,
          },
  };
}

/** Explains the error for a run that exceeds the size of an answer. */
export const tooManySpecFiles = () => ({
  what: 'The run with its spec files',
  remedies: [
    'read the run without them from `GET /v1/projects/{projectId}/runs`, and its failures from `GET /v1/context?run_id={runId}`',
  ],
});
