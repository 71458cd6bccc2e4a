/**
 * Counts the creations of something of which only so many may exist, so that two requests that create one at the same
 * time notice each other. Access pattern: by what is created, of a project or of the organization.
 */
import { type Entity, wholePartition } from '#shared/engine/table/entity.ts';
import { composed } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';

interface Owner {
  readonly organizationId: string;
  /** Absent for what belongs to the organization. */
  readonly projectId?: string;
}

export interface CreationTurn extends Owner {
  readonly what: 'badges' | 'integrations' | 'issues' | 'shares';
  readonly turn: number;
}

const OF_ORGANIZATION = 'ORGANIZATION';

const partition = ({ organizationId, projectId = OF_ORGANIZATION }: Owner): string =>
  composed('TURN', organizationId, projectId);

export const creationTurns: Entity<Owner & Pick<CreationTurn, 'what'>, CreationTurn> = {
  type: 'turn to create',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'How often something was created', key: 'pk = TURN#org#project, sk = OF#what' }],
  key: ({ what, ...owner }) => ({ pk: partition(owner), sk: composed('OF', what) }),
  store: attributesOf,
  load: stored,
};

export const turnsSpan = (owner: Owner) => wholePartition(partition(owner));
