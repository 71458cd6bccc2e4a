/**
 * Counts the creations of something of which only so many may exist, so that two requests that create one at the same
 * time notice each other. Access pattern: by what is created.
 */
import { type Entity, wholePartition } from '#shared/engine/table/entity.ts';
import { composed } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';

export interface CreationTurn {
  readonly organizationId: string;
  /** What is created, and the project for which. */
  readonly of: readonly [what: string, projectId?: string];
  readonly turn: number;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

type Key = Pick<CreationTurn, 'organizationId' | 'of'>;

export const creationTurns: Entity<Key, CreationTurn> = {
  type: 'turn to create',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'How often something was created', key: 'pk = TURN#org, sk = OF#what#project' }],
  key: ({ organizationId, of: [what, projectId] }) => ({
    pk: composed('TURN', organizationId),
    sk: composed('OF', what, projectId ?? ''),
  }),
  store: attributesOf,
  load: stored,
};

export const turnsSpan = ({ organizationId }: Pick<Key, 'organizationId'>) =>
  wholePartition(composed('TURN', organizationId));
