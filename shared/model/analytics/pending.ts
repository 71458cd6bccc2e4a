/** Runs whose end, correction or deletion is not yet reflected in the summaries of the read model. */
import { type Entity, getPrefixSpan, type Span } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import { type Put, put } from '#shared/engine/table/writes.ts';
import { type DueAnalytics, dueAnalytics, getNextMultiple } from '#shared/model/due.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Run } from '#shared/model/runs/run.ts';

type EndedRunKey = ProjectKey & Pick<Run, 'runId' | 'createdAt'>;
type PendingKey = EndedRunKey & { readonly version: number };

export interface PendingRun extends PendingKey {
  /** The packed entries of the run's groups in the read model. Absent until the facts about the run are stored. */
  readonly packed?: Uint8Array;
  /** Set if a result arrived or changed after the end of the run. */
  readonly corrects?: true;
  /** Set if the run was deleted. */
  readonly gone?: true;
}

/** The leaf that contains a time: 6 hours in UTC, the shortest span of time that has a summary. */
export const getLeaf = (milliseconds: number): number => Math.floor(milliseconds / MODEL_LIMITS.leafMilliseconds);

const LEAF_DIGITS = 8;
const VERSION_DIGITS = 10;
/** The maximum number of checks that can be pending for the same version of a run. */
const CHECKS = 10;
/** The version of a deletion. It is greater than the version of any correction. */
const GONE_VERSION = 10 ** VERSION_DIGITS - 1;

export const formatLeafKey = (leaf: number): string => String(Math.max(0, leaf)).padStart(LEAF_DIGITS, '0');

const getPartition = ({ organizationId, projectId }: ProjectKey) => composeKey('PENDING', organizationId, projectId);

export const pendingRuns: Entity<PendingKey, PendingRun> = {
  type: 'analytics, pending run',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Ended runs that no summary contains yet, by creation', sk: 'leaf#run#version' }],
  key: (row) => ({
    pk: getPartition(row),
    sk: composeKey(formatLeafKey(getLeaf(row.createdAt)), row.runId, String(row.version).padStart(VERSION_DIGITS, '0')),
  }),
  store: toAttributes,
  load: loadAttributes,
};

/** The pending runs of the leaves from `first` to `last`, both inclusive. A leaf is a span of six hours. */
export const getPendingRunsSpan = (project: ProjectKey, first: number, last: number): Span => ({
  pk: getPartition(project),
  from: formatLeafKey(first),
  to: getPrefixSpan('', composePrefix(formatLeafKey(last))).to,
});

export const getPendingRowsOfRunSpan = (run: EndedRunKey): Span =>
  getPrefixSpan(getPartition(run), composePrefix(formatLeafKey(getLeaf(run.createdAt)), run.runId));

export const markEnded = (run: EndedRunKey & Pick<Run, 'version'>, at: number): Put[] => [
  put(pendingRuns, { ...pickRunKey(run), version: run.version * CHECKS }),
  put(dueAnalytics, scheduleCompilation(run, at)),
];

/** Marks a run that was reopened and has ended again. Its facts replace those of the earlier end. */
export const markEndedAgain = (run: EndedRunKey & Pick<Run, 'version'>, at: number): Put[] => [
  put(pendingRuns, { ...pickRunKey(run), version: run.version * CHECKS, corrects: true }),
  put(dueAnalytics, scheduleCompilation(run, at)),
];

/** For changed results of an ended run. `check` gives each mark of the same version its own row. */
export const markCorrected = (run: EndedRunKey & Pick<Run, 'version'>, at: number, check = 0): Put[] => [
  put(pendingRuns, { ...pickRunKey(run), version: run.version * CHECKS + check, corrects: true }),
  put(dueAnalytics, scheduleCompilation(run, getNextMultiple(at, MODEL_LIMITS.correctionMilliseconds))),
];

const pickRunKey = ({ organizationId, projectId, runId, createdAt }: EndedRunKey): EndedRunKey => ({
  organizationId,
  projectId,
  runId,
  createdAt,
});

export const scheduleCompilation = (
  { organizationId, projectId, runId, createdAt }: EndedRunKey,
  dueAt: number,
): DueAnalytics => ({
  organizationId,
  projectId,
  dueAt,
  work: { kind: 'compile', runId, createdAt },
});

export function markGone({ organizationId, projectId, runId, createdAt }: EndedRunKey, at: number): Put[] {
  const work = { kind: 'merge', level: 0, start: getLeaf(createdAt) } as const;
  return [
    put(pendingRuns, { organizationId, projectId, runId, createdAt, version: GONE_VERSION, gone: true }),
    put(dueAnalytics, { organizationId, projectId, work, dueAt: at }),
  ];
}
