/**
 * Runs whose end, correction or deletion is not yet reflected in the summaries of the read model. Access pattern: all
 * pending runs of a project, by the creation time of the runs.
 */
import { beginningWith, type Entity, type Span } from '#shared/engine/table/entity.ts';
import { composed, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';
import { type Put, put } from '#shared/engine/table/writes.ts';
import { type DueAnalytics, dueAnalytics, nextOnGrid } from '#shared/model/due.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Run } from '#shared/model/runs/run.ts';

type Ended = ProjectKey & Pick<Run, 'runId' | 'createdAt'>;
type PendingKey = Ended & { readonly version: number };

export interface PendingRun extends PendingKey {
  /** The packed entries of the run's groups in the read model. Absent until the facts about the run are stored. */
  readonly packed?: Uint8Array;
  /** Set if a result arrived or changed after the end of the run. */
  readonly corrects?: true;
  /** Set if the run was deleted. */
  readonly gone?: true;
}

/**
 * The number of the leaf that contains a time. A leaf is the shortest span of time that has a summary: 6 hours in UTC.
 */
export const leafOf = (milliseconds: number): number => Math.floor(milliseconds / MODEL_LIMITS.leafMilliseconds);

const LEAF_DIGITS = 8;
const VERSION_DIGITS = 10;
/** The maximum number of checks that can be pending for the same version of a run. */
const CHECKS = 10;
/** The version of a deletion. It is greater than the version of any correction. */
const GONE_VERSION = 10 ** VERSION_DIGITS - 1;

export const leafKey = (leaf: number): string => String(Math.max(0, leaf)).padStart(LEAF_DIGITS, '0');

const partition = ({ organizationId, projectId }: ProjectKey) => composed('PENDING', organizationId, projectId);

export const pendingRuns: Entity<PendingKey, PendingRun> = {
  type: 'analytics, pending run',
  guarded: false,
  removal: 'apart',
  patterns: [
    {
      question: 'Ended runs that no summary contains yet, by creation',
      key: 'pk = PENDING#org#project, sk = leaf#run#version',
    },
  ],
  key: (of) => ({
    pk: partition(of),
    sk: composed(leafKey(leafOf(of.createdAt)), of.runId, String(of.version).padStart(VERSION_DIGITS, '0')),
  }),
  store: attributesOf,
  load: stored,
};

/** The pending runs of the leaves from `first` to `last`, both inclusive. A leaf is a span of six hours. */
export const pendingSpan = (of: ProjectKey, first: number, last: number): Span => ({
  pk: partition(of),
  from: leafKey(first),
  to: beginningWith('', prefix(leafKey(last))).to,
});

export const pendingOfRun = (run: Ended): Span =>
  beginningWith(partition(run), prefix(leafKey(leafOf(run.createdAt)), run.runId));

/** Marks an ended run as pending for the read model. */
export const markEnded = (run: Ended & Pick<Run, 'version'>, at: number): Put[] => [
  put(pendingRuns, { ...keyOf(run), version: run.version * CHECKS }),
  put(dueAnalytics, compileAt(run, at)),
];

/** Marks a run that was reopened and has ended again. Its facts replace those of the earlier end. */
export const markEndedAgain = (run: Ended & Pick<Run, 'version'>, at: number): Put[] => [
  put(pendingRuns, { ...keyOf(run), version: run.version * CHECKS, corrects: true }),
  put(dueAnalytics, compileAt(run, at)),
];

/**
 * Marks an ended run as pending for the read model because its results may have changed since its end. The same version
 * may be marked several times. `check` gives each of these marks its own row.
 */
export const markCorrected = (run: Ended & Pick<Run, 'version'>, at: number, check = 0): Put[] => [
  put(pendingRuns, { ...keyOf(run), version: run.version * CHECKS + check, corrects: true }),
  put(dueAnalytics, compileAt(run, nextOnGrid(at, MODEL_LIMITS.correctionMilliseconds))),
];

const keyOf = ({ organizationId, projectId, runId, createdAt }: Ended): Ended => ({
  organizationId,
  projectId,
  runId,
  createdAt,
});

/** The row that schedules the computation of the facts about a run. */
export const compileAt = ({ organizationId, projectId, runId, createdAt }: Ended, dueAt: number): DueAnalytics => ({
  organizationId,
  projectId,
  dueAt,
  work: { kind: 'compile', runId, createdAt },
});

/** Marks a deleted run as pending for the read model. */
export function markGone({ organizationId, projectId, runId, createdAt }: Ended, at: number): Put[] {
  const work = { kind: 'merge', level: 0, start: leafOf(createdAt) } as const;
  return [
    put(pendingRuns, { organizationId, projectId, runId, createdAt, version: GONE_VERSION, gone: true }),
    put(dueAnalytics, { organizationId, projectId, work, dueAt: at }),
  ];
}
