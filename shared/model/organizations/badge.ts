/** A badge: a picture that shows the state of a branch. Anyone who knows the address of the picture can embed it. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick, toAttributes } from '#shared/engine/table/stored.ts';

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
  patterns: [{ question: 'A badge by id' }],
  key: ({ badgeId }) => ({ pk: composeKey('BADGE', badgeId), sk: 'BADGE' }),
  store: toAttributes,
  load: loadAttributes,
};

type BadgeEntry = Pick<Badge, 'organizationId' | 'projectId' | 'badgeId' | 'branch'>;

/** The badge itself is stored once, under its id. */
export const badgesOfProject: Entity<Pick<BadgeEntry, 'organizationId' | 'projectId' | 'badgeId'>, BadgeEntry> = {
  type: 'badge, listed',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'Badges of a project' }],
  key: ({ organizationId, projectId, badgeId }) => ({
    pk: composeKey('BADGES', organizationId, projectId),
    sk: composeKey('BADGE', badgeId),
  }),
  store: pick('organizationId', 'projectId', 'badgeId', 'branch'),
  load: loadAttributes,
};

export const getBadgesSpan = ({ organizationId, projectId }: Pick<Badge, 'organizationId' | 'projectId'>) =>
  getPrefixSpan(composeKey('BADGES', organizationId, projectId), composePrefix('BADGE'));
