/** §4.4 One run with its spec files, and the groups of any run. */
import * as z from 'zod';
import { notFound, refuse } from '../errors.ts';
import { Counters } from '../outcomes.ts';
import { groups } from '../resources/group.ts';
import { countersOf, type Instance, instances } from '../resources/instance.ts';
import { type GroupSummary, membersSpan, type Run, runs } from '../resources/run.ts';
import type { Services } from '../services.ts';
import { mergeTags } from '../tags.ts';
import { summarize } from './group-summary.ts';
import { presentRun, RunFeedItem } from './run-feed.ts';
import { SpecFiles, specFilesOf } from './spec-files.ts';
import { isoTime } from './test-result.ts';

const dateTime = z.string().meta({ format: 'date-time' });

const RunSpec = z
  .object({
    spec: z.string(),
    groupId: z.string(),
    instanceId: z.string(),
    claimedAt: dateTime.nullable(),
    completedAt: dateTime.nullable(),
    machineId: z.string().meta({ description: 'Empty while no machine has taken the spec file' }),
    tags: z.array(z.string()),
    worker: z.object({ workerIndex: z.int(), parallelIndex: z.int() }).optional(),
    results: z
      .object({
        stats: Counters.extend({ tests: z.int().meta({ description: 'Tests expected' }) }),
        flaky: z.int(),
        exception: z.string().nullable(),
        ...SpecFiles.shape,
      })
      .nullable()
      .meta({ description: 'null before the first test reported a result' }),
  })
  .meta({ id: 'RunSpec' });

export const WholeRun = RunFeedItem.extend({ specs: z.array(RunSpec) }).meta({ id: 'Run' });

export async function readRun(
  services: Services,
  key: { organizationId: string; runId: string },
): Promise<z.infer<typeof WholeRun>> {
  const run = (await services.table.get(runs, key)) ?? refuse(notFound('Run'));
  const all = await services.table.queryAll(instances, membersSpan(run, 'INSTANCE'));
  const summary = await groupsOf(services, run, all);
  const tagsOf = new Map(summary.map(({ groupId, tags }) => [groupId, tags]));
  const filesOf = await specFilesOf(services, all);
  const specs = all.map((instance) =>
    presentSpec(instance, mergeTags(run.tags, tagsOf.get(instance.groupId) ?? []), filesOf(instance)),
  );
  return { ...presentRun(run, summary), specs: specs.sort(bySpec) };
}

/** Stored with an ended run; counted live from its instances while it is under way. */
export async function groupsOf(
  { table, now }: Services,
  run: Run,
  known?: readonly Instance[],
): Promise<readonly GroupSummary[]> {
  if (run.groups) return run.groups;
  const members = await table.queryAll(groups, membersSpan(run, 'GROUP'));
  return summarize(run, members, known ?? (await table.queryAll(instances, membersSpan(run, 'INSTANCE'))), now());
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
  const counters = countersOf(instance);
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
            stats: { ...counters, tests: Object.keys(instance.results).length },
            flaky: counters.flaky,
            exception: null,
            ...files,
          },
  };
}
