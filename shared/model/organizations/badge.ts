/** A badge: a picture that shows the state of a branch. Anyone who knows the address of the picture can embed it. */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, pick, stored } from '#shared/engine/table/stored.ts';

/** The latest complete run of the branch. */
export interface BadgeState {
  readonly runId: string;
  /** When the run was created, in epoch milliseconds. An older run never replaces a newer one. */
  readonly runCreatedAt: number;
  /** A run may fail without a failed test. Absent in rows of version 0.1.0. */
  readonly hasFailed?: boolean;
  readonly failures: number;
  readonly flaky: number;
}

export interface Badge {
  /** Random, because anyone who knows the id can read the badge. */
  readonly badgeId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly branch: string;
  /** The text in the left part of the picture, such as `tests`. */
  readonly label: string;
  /** Creation time, in epoch milliseconds. */
  readonly createdAt: number;
  /** Absent before the first complete run. */
  readonly state?: BadgeState;
}

export const badges: Entity<Pick<Badge, 'badgeId'>, Badge> = {
  type: 'badge',
  guarded: true,
  gives: 'link',
  removal: 'apart',
  patterns: [{ question: 'A badge by id', key: 'pk = BADGE#badge, sk = BADGE' }],
  key: ({ badgeId }) => ({ pk: composed('BADGE', badgeId), sk: 'BADGE' }),
  store: attributesOf,
  load: stored,
};

type Listed = Pick<Badge, 'organizationId' | 'projectId' | 'badgeId' | 'branch'>;

/** An entry in the list of a project's badges. The badge itself is stored once, under its id. */
export const badgesOfProject: Entity<Pick<Listed, 'organizationId' | 'projectId' | 'badgeId'>, Listed> = {
  type: 'badge, listed',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'Badges of a project', key: 'pk = BADGES#org#project, sk = BADGE#badge' }],
  key: ({ organizationId, projectId, badgeId }) => ({
    pk: composed('BADGES', organizationId, projectId),
    sk: composed('BADGE', badgeId),
  }),
  store: pick('organizationId', 'projectId', 'badgeId', 'branch'),
  load: stored,
};

export const badgesSpan = ({ organizationId, projectId }: Pick<Badge, 'organizationId' | 'projectId'>) =>
  beginningWith(composed('BADGES', organizationId, projectId), prefix('BADGE'));
