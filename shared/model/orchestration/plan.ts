/** A page of a plan, which lists the batches that a suite added to an orchestration session. Immutable. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { pack, unpack } from '#shared/engine/table/packed.ts';
import { loadAttributes } from '#shared/engine/table/stored.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import { getSessionPartition, type SessionKey, WITH_SESSION } from './session.ts';

export interface PlannedFile {
  readonly spec: string;
  /** The expected duration in milliseconds. */
  readonly milliseconds: number;
}

/** Spec files of one group that a machine runs together, starting with the file that takes longest. */
export interface PlannedBatch {
  readonly groupId: string;
  readonly files: readonly PlannedFile[];
}

interface PageKey extends SessionKey {
  readonly planId: string;
  readonly page: number;
}

export interface PlanPage extends PageKey, Expiring {
  readonly batches: readonly PlannedBatch[];
}

const PAGE_DIGITS = 5;

export const planPages: Entity<PageKey, PlanPage> & GoesWithRun = {
  type: 'orchestration plan',
  guarded: false,
  removal: WITH_SESSION,
  patterns: [
    { question: 'Planned batches by number' },
    { question: 'All planned batches of a session', begins: 'PLAN#' },
  ],
  key: (row) => ({
    pk: getSessionPartition(row),
    sk: composeKey('PLAN', row.planId, String(row.page).padStart(PAGE_DIGITS, '0')),
  }),
  store: ({ batches, ...page }) => ({ ...page, batches: pack(batches) }),
  load: (row) => {
    const { batches, ...page } = loadAttributes<Omit<PlanPage, 'batches'> & { readonly batches: Uint8Array }>(row);
    return { ...page, batches: unpack<readonly PlannedBatch[]>(batches) };
  },
};

/** May include plans of requests that were killed before they added their plan to the session. */
export const getPlansSpan = (key: SessionKey) => getPrefixSpan(getSessionPartition(key), composePrefix('PLAN'));
