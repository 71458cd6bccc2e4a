/** §3, §6 Scheduled work: a sparse, sharded index by due time. Each row points to the object to work on. */
import type { Correlation } from '#shared/engine/correlation.ts';
import type { Entity, Span } from '#shared/engine/table/entity.ts';
import { composeKey, computeDigest, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import { MODEL_LIMITS } from './limits.ts';
import { type GoesWithRun, getRowSpan } from './runs/removal.ts';

interface Due {
  /** In epoch milliseconds. */
  readonly dueAt: number;
  readonly organizationId: string;
}

/** A check for a timeout while the run is in progress, or for late results after it was cancelled or timed out. */
export interface DueRun extends Due {
  readonly runId: string;
}

/** A delivery attempt whose delay exceeds the maximum delay of a queue message. */
export interface DueDelivery extends Due, Correlation {
  readonly hookId: string;
  readonly deliveryId: string;
  readonly attempt: number;
}

export interface DueFiles extends Due {
  readonly instanceId: string;
}

/** A deleted run that still has rows and files, or a run of which only the files were deleted. */
export interface DueDeletion extends Due {
  readonly runId: string;
  readonly of?: 'files';
}

export interface DueProject extends Due {
  readonly projectId: string;
}

/** A person whose names and addresses are to be replaced. */
export interface DueErasure extends Due {
  readonly code: string;
}

/** Also says who deleted the organization and when, because it outlives all other rows of the organization. */
export interface DueOrganization extends Due {
  readonly name: string;
  /** The name of the actor who deleted the organization, as in audit records. */
  readonly deletedBy: string;
  /** Time of the deletion, in epoch milliseconds. */
  readonly deletedAt: number;
}

/** Work on the read model. A span starts at `start` multiplied by the length of the spans of its level. */
type AnalyticsWork =
  | { readonly kind: 'compile'; readonly runId: string; readonly createdAt: number }
  /** A check for late results of a cancelled or timed-out run. */
  | { readonly kind: 'recheck'; readonly runId: string; readonly check: number }
  | { readonly kind: 'merge'; readonly level: number; readonly start: number }
  | { readonly kind: 'garbage'; readonly level: number; readonly start: number; readonly generation: string };

export interface DueAnalytics extends Due {
  readonly projectId: string;
  readonly work: AnalyticsWork;
}

/** A project, and when the next pass of the issue automation over it begins. */
export interface DueIssues extends Due {
  readonly projectId: string;
}

export const DUE_SHARDS = 8;

export interface DueIndex<Row extends Due> extends Entity<Row, Row> {
  readonly shards: number;
  /** Rows due before `until`, in epoch milliseconds. */
  readonly span: (shard: number, until: number) => Span;
}

function makeDueIndex<Row extends Due>(kind: string, question: string, idOf: (row: Row) => string): DueIndex<Row> {
  const partition = (shard: number): string => composeKey('DUE', kind, String(shard));
  return {
    type: `due ${kind}`,
    guarded: false,
    removal: 'apart',
    patterns: [{ question, pk: `DUE#${kind}#shard`, sk: 'dueAt#org#id' }],
    key: (row) => ({
      pk: partition(Number.parseInt(computeDigest(4, idOf(row)), 16) % DUE_SHARDS),
      sk: composeKey(encodeInstant(row.dueAt), row.organizationId, idOf(row)),
    }),
    store: toAttributes,
    load: loadAttributes,
    shards: DUE_SHARDS,
    span: (shard, until) => ({ pk: partition(shard), from: encodeInstant(0), to: encodeInstant(until) }),
  };
}

export const dueRuns: DueIndex<DueRun> & GoesWithRun = {
  ...makeDueIndex<DueRun>('run', 'Runs that may have timed out', ({ runId }) => runId),
  removal: { ends: 'sweep', pointers: (run) => [dueRuns.key(run)] },
};

export const dueFiles: DueIndex<DueFiles> & GoesWithRun = {
  ...makeDueIndex<DueFiles>('files', 'Instances with expired files', ({ instanceId }) => instanceId),
  removal: {
    ends: 'sweep',
    ofInstance: ({ organizationId, instanceId, expiry: { files } }) =>
      files === undefined
        ? []
        : [getRowSpan(dueFiles.key({ organizationId, instanceId, dueAt: computeFilesDueAt(files) }))],
  },
};

/** In epoch milliseconds. After the pause, every request that announced a file before the expiry is finished. */
export const computeFilesDueAt = (endSeconds: number): number =>
  endSeconds * 1000 + MODEL_LIMITS.deletionPauseMilliseconds;

export const dueDeliveries = makeDueIndex<DueDelivery>(
  'delivery',
  'Deliveries to be attempted again',
  ({ deliveryId }) => deliveryId,
);

export const dueNotifications = makeDueIndex<DueDelivery>(
  'notification',
  'Notifications to be attempted again',
  ({ deliveryId }) => deliveryId,
);

export const dueDeletions = makeDueIndex<DueDeletion>(
  'deletion',
  'Deleted runs with rows or files left',
  ({ runId, of }) => (of === undefined ? runId : `${runId} ${of}`),
);

export const dueProjects = makeDueIndex<DueProject>(
  'project',
  'Deleted projects whose data is to be removed',
  ({ projectId }) => projectId,
);

export const dueOrganizations = makeDueIndex<DueOrganization>(
  'organization',
  'Deleted organizations whose data is to be removed',
  ({ organizationId }) => organizationId,
);

export const dueErasures = makeDueIndex<DueErasure>('erasure', 'People who are to be erased', ({ code }) => code);

export const dueIssues = makeDueIndex<DueIssues>(
  'issues',
  'Projects whose issues are to be looked at',
  ({ projectId }) => projectId,
);

/**
 * The next multiple of `every` milliseconds after `now`. Work that is scheduled several times within this period gets
 * only one row. Because the result is later than `now`, a running sweep never removes a row that was written during the
 * sweep.
 */
export const getNextMultiple = (now: number, every: number): number => Math.ceil((now + 1) / every) * every;

function formatWorkName(work: AnalyticsWork): string {
  if (work.kind === 'compile' || work.kind === 'recheck') return `${work.kind} ${work.runId}`;
  return work.kind === 'merge' ? `merge ${work.level} ${work.start}` : `garbage ${work.generation}`;
}

export const dueAnalytics = makeDueIndex<DueAnalytics>(
  'analytics',
  'Work on the read model',
  (row) => `${row.projectId} ${formatWorkName(row.work)}`,
);
