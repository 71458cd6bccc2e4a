/** §4.4.2 Reads one run with its spec files, or the groups of a run. */
import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { RunKey } from '#shared/model/keys.ts';
import {
  countKnownTests,
  hasEvidence,
  type Instance,
  instances,
  isWaitingForParts,
} from '#shared/model/results/instance.ts';
import { getShownFilesSpan, type ShownFiles, shownFiles, toLinkedFiles } from '#shared/model/results/shown-files.ts';
import { type Group, groups } from '#shared/model/runs/group.ts';
import {
  type GroupSummary,
  getRunMembersSpan,
  isUnderWay,
  type RepeatedTests,
  type Run,
} from '#shared/model/runs/run.ts';
import { getRunRowsSpan, runRows, splitRunRows } from '#shared/model/runs/run-rows.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import type { Services } from '#shared/services.ts';
import { compareTexts } from '../contains.ts';
import type { SpecFiles } from '../instances/files-wire.ts';
import { linkFiles } from '../instances/instance-files.ts';
import { summarizeGroups } from './group-summary.ts';
import { applyLiveCounters } from './live-counters.ts';
import { presentOrigin } from './origin-wire.ts';
import { listProblemsOfRun } from './problems-of-run.ts';
import { presentWithBuild } from './run-feed.ts';
import type { RunSpec, WholeRun } from './run-wire.ts';

/** Only spec files with failed or flaky tests get links: to their screenshots and their first video. */
async function linkSpecFiles(
  { artifacts }: Pick<Services, 'artifacts'>,
  all: readonly Instance[],
  fileRows: readonly ShownFiles[],
): Promise<(instance: Instance) => SpecFiles> {
  const failedIds = new Set(all.filter(hasEvidence).map(({ instanceId }) => instanceId));
  const links = await mapConcurrently(
    fileRows.filter(({ instanceId }) => failedIds.has(instanceId)),
    async (files) => {
      const { screenshots, videos } = await linkFiles(artifacts, toLinkedFiles(files));
      return [files.instanceId, { videoUrl: videos[0]?.videoUrl ?? null, screenshots }] as const;
    },
  );
  const files = new Map<string, SpecFiles>(links);
  return ({ instanceId }) => files.get(instanceId) ?? { videoUrl: null, screenshots: [] };
}

/** A run with its groups and spec files, as read from its partition. */
export interface RunInRows {
  readonly run: Run;
  readonly members: readonly Group[];
  /** The spec files. Their counters may be outdated while the run is in progress. */
  readonly files: readonly Instance[];
}

export async function readRun(services: Services, key: RunKey): Promise<z.infer<typeof WholeRun>> {
  const [rows, fileRows] = await Promise.all([readRunRows(services, key), readShownFiles(services, key)]);
  return presentWholeRun(services, rows, fileRows);
}

export const readShownFiles = ({ table }: WithTable, key: RunKey): Promise<ShownFiles[]> =>
  table.queryAll(shownFiles, getShownFilesSpan(key));

export async function readRunRows({ table }: WithTable, key: RunKey): Promise<RunInRows> {
  const { run, groups: members, instances: files } = splitRunRows(await table.queryAll(runRows, getRunRowsSpan(key)));
  return { run: run ?? refuse(notFound('Run')), members, files };
}

export async function presentWholeRun(
  services: Services,
  { run, members, files }: RunInRows,
  fileRows: readonly ShownFiles[],
): Promise<z.infer<typeof WholeRun>> {
  const all = await applyLiveCounters(services, run, files);
  const summary = run.groups ?? summarizeGroups(run, members, all, services.now());
  const tagsOf = new Map(summary.map(({ groupId, tags }) => [groupId, tags]));
  const filesOf = await linkSpecFiles(services, all, fileRows);
  const specs = all.map((instance) =>
    presentSpec(run, instance, mergeTags(run.tags, tagsOf.get(instance.groupId) ?? []), filesOf(instance)),
  );
  specs.sort((one, other) => compareTexts(one.groupId, other.groupId) || compareTexts(one.spec, other.spec));
  const [feedItem, problems] = await Promise.all([
    presentWithBuild(services, run, summary),
    listProblemsOfRun(services, run, summary),
  ]);
  return {
    ...feedItem,
    specs,
    problems: problems.length > 0 ? [...problems] : undefined,
    origin: run.origin && !run.hasOtherOrigins ? presentOrigin(run.origin) : undefined,
    repeated: run.repeated && presentRepeated(run.repeated),
  };
}

const presentRepeated = ({ tests, first }: RepeatedTests) => ({
  tests,
  first: first.map(({ title, ...test }) => ({ ...test, title: [...title] })),
});

/** Counts are stored once a run has ended and all its tests have final results. Otherwise the instances are counted. */
export async function readGroupSummaries(services: Services, run: Run): Promise<readonly GroupSummary[]> {
  if (run.groups) return run.groups;
  const { table, now } = services;
  const members = await table.queryAll(groups, getRunMembersSpan(run, 'GROUP'));
  const files = await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'));
  return summarizeGroups(run, members, await applyLiveCounters(services, run, files), now());
}

function presentSpec(run: Run, instance: Instance, tags: string[], files: SpecFiles): z.infer<typeof RunSpec> {
  const { counters, completedAt } = instance;
  const isRunning = isUnderWay(run) && isWaitingForParts(instance);
  const [first] = instance.claims;
  const stats = { ...counters, tests: countKnownTests(instance) };
  return {
    spec: instance.spec,
    groupId: instance.groupId,
    instanceId: instance.instanceId,
    claimedAt: first ? formatIsoTime(first.at) : null,
    completedAt: completedAt === undefined || isRunning ? null : formatIsoTime(completedAt),
    machineId: first?.machineId ?? '',
    tags,
    worker: instance.worker,
    results: counters.overall === 0 ? null : { stats, flaky: counters.flaky, exception: null, ...files },
  };
}

/** The error text for a run that is too large for one response. */
export const tooManySpecFiles = () => ({
  what: 'The run with its spec files',
  remedies: [
    'read the run without them from `GET /v1/projects/{projectId}/runs`, and its failures from `GET /v1/context?run_id={runId}`',
  ],
});
