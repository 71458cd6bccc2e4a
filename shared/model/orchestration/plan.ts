/**
 * A page of a plan. A plan lists the batches that a suite added to an orchestration session. Immutable. Access patterns:
 * by number; all pages of a session.
 */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, prefix } from '#shared/engine/table/keys.ts';
import { pack, unpack } from '#shared/engine/table/packed.ts';
import { stored } from '#shared/engine/table/stored.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import { type SessionKey, sessionPartition, WITH_SESSION } from './session.ts';

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
    { question: 'Planned batches by number', key: 'pk = ORCHESTRATION#org#run, sk = PLAN#plan#page' },
    { question: 'All planned batches of a session', key: 'pk = ORCHESTRATION#org#run, sk begins with PLAN#' },
  ],
  key: (of) => ({
    pk: sessionPartition(of),
    sk: composed('PLAN', of.planId, String(of.page).padStart(PAGE_DIGITS, '0')),
  }),
  store: ({ batches, ...page }) => ({ ...page, batches: pack(batches) }),
  load: (row) => {
    const { batches, ...page } = stored<Omit<PlanPage, 'batches'> & { readonly batches: Uint8Array }>(row);
    return { ...page, batches: unpack<readonly PlannedBatch[]>(batches) };
  },
};

/**
 * The pages of all plans of a session. They may include plans of requests that were killed before they added their plan
 * to the session.
 */
export const plansSpan = (of: SessionKey) => beginningWith(sessionPartition(of), prefix('PLAN'));
