/** Counts creations of what may exist only so many times, so that two requests at the same time notice each other. */
import { type Entity, getPartitionSpan } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';

interface Owner {
  readonly organizationId: string;
  /** Absent for what belongs to the organization. */
  readonly projectId?: string;
}

export interface CreationTurn extends Owner {
  readonly what: 'badges' | 'domains' | 'integrations' | 'issues' | 'SCIM tokens' | 'shares' | 'trusted repositories';
  readonly turn: number;
}

const OF_ORGANIZATION = 'ORGANIZATION';

const getPartition = ({ organizationId, projectId = OF_ORGANIZATION }: Owner): string =>
  composeKey('TURN', organizationId, projectId);

export const creationTurns: Entity<Owner & Pick<CreationTurn, 'what'>, CreationTurn> = {
  type: 'turn to create',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'How often something was created' }],
  key: (turn) => ({ pk: getPartition(turn), sk: composeKey('OF', turn.what) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getCreationTurnsSpan = (owner: Owner) => getPartitionSpan(getPartition(owner));
