/** §5 The membership of an account in an organization. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick, toAttributes } from '#shared/engine/table/stored.ts';

export const ROLES = ['admin', 'actionsAdmin', 'member', 'guest'] as const;
export type Role = (typeof ROLES)[number];

export interface Membership {
  readonly organizationId: string;
  readonly accountId: string;
  readonly role: Role;
  /** In epoch milliseconds. Older tokens are refused, so that they stay invalid when their owner leaves and rejoins. */
  readonly startedAt: number;
}

export const memberships: Entity<Pick<Membership, 'organizationId' | 'accountId'>, Membership> = {
  type: 'membership',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [
    { question: "An account's membership of an organization" },
    { question: 'All members of an organization', begins: 'MEMBER#' },
  ],
  key: ({ organizationId, accountId }) => ({
    pk: composeKey('MEMBERS', organizationId),
    sk: composeKey('MEMBER', accountId),
  }),
  store: toAttributes,
  load: loadAttributes,
};

export const getMembersSpan = ({ organizationId }: Pick<Membership, 'organizationId'>) =>
  getPrefixSpan(composeKey('MEMBERS', organizationId), composePrefix('MEMBER'));

type MembershipEntry = Pick<Membership, 'organizationId' | 'accountId'>;

export const membershipsOfAccount: Entity<MembershipEntry, MembershipEntry> = {
  type: 'membership, of an account',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'The organizations of an account' }],
  key: ({ organizationId, accountId }) => ({
    pk: composeKey('MEMBERSHIPS', accountId),
    sk: composeKey('MEMBERSHIP', organizationId),
  }),
  store: pick('organizationId', 'accountId'),
  load: loadAttributes,
};

export const getMembershipsSpan = ({ accountId }: Pick<Membership, 'accountId'>) =>
  getPrefixSpan(composeKey('MEMBERSHIPS', accountId), composePrefix('MEMBERSHIP'));
