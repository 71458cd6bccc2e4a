/** The orchestration session of a run, in which machines share its spec files, one batch at a time. */
import { type Entity, getPartitionSpan } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';

/** The batches that one suite added to the session. */
export interface OrchestrationPlan {
  readonly planId: string;
  readonly suite: string;
  /** The number of the plan's first batch. */
  readonly from: number;
  readonly batches: number;
}

export interface SessionKey {
  readonly organizationId: string;
  readonly runId: string;
}

export interface OrchestrationSession extends SessionKey, Expiring {
  readonly plans: readonly OrchestrationPlan[];
  /** In all plans. */
  readonly batches: number;
  /** The number of the next batch to assign. Machines increment it atomically. */
  readonly next: number;
  /** The number of machines that have joined. Absent until the first machine joins. */
  readonly machines?: number;
  /** The number of batches that were returned to the session, and that no machine has taken since. */
  readonly freed: number;
  /** When the session was last checked for machines that stopped reporting, in epoch milliseconds. */
  readonly lookedAt: number;
  /** Whether every batch has been assigned at least once. */
  readonly dealt: boolean;
}

export const getSessionPartition = ({ organizationId, runId }: SessionKey): string =>
  composeKey('ORCHESTRATION', organizationId, runId);

/** Declares that all rows in the partition of a session are removed together with the results of the run. */
export const WITH_SESSION: GoesWithRun['removal'] = {
  ends: 'results',
  ofRun: (run) => [getPartitionSpan(getSessionPartition(run))],
};

export const orchestrationSessions: Entity<SessionKey, OrchestrationSession> & GoesWithRun = {
  type: 'orchestration session',
  guarded: false,
  removal: WITH_SESSION,
  patterns: [{ question: 'The orchestration session of a run' }],
  key: (session) => ({ pk: getSessionPartition(session), sk: 'SESSION' }),
  store: toAttributes,
  load: loadAttributes,
};
