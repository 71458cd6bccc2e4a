/** §5 The membership of an account in an organization. */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, pick, stored } from '#shared/engine/table/stored.ts';

export const ROLES = ['admin', 'actionsAdmin', 'member', 'guest'] as const;
export type Role = (typeof ROLES)[number];

export interface Membership {
  readonly organizationId: string;
  readonly accountId: string;
  readonly role: Role;
  /**
   * Start of the membership, in epoch milliseconds. Tokens issued before this time are refused, so that old tokens stay
   * invalid when their owner leaves and rejoins.
   */
  readonly startedAt: number;
}

export const memberships: Entity<Pick<Membership, 'organizationId' | 'accountId'>, Membership> = {
  type: 'membership',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [
    { question: "An account's membership of an organization", key: 'pk = MEMBERS#org, sk = MEMBER#account' },
    { question: 'All members of an organization', key: 'pk = MEMBERS#org, sk begins with MEMBER#' },
  ],
  key: ({ organizationId, accountId }) => ({
    pk: composed('MEMBERS', organizationId),
    sk: composed('MEMBER', accountId),
  }),
  store: attributesOf,
  load: stored,
};

export const membersSpan = ({ organizationId }: Pick<Membership, 'organizationId'>) =>
  beginningWith(composed('MEMBERS', organizationId), prefix('MEMBER'));

type Listed = Pick<Membership, 'organizationId' | 'accountId'>;

/** An entry in the list of the organizations to which an account belongs. */
export const membershipsOfAccount: Entity<Listed, Listed> = {
  type: 'membership, of an account',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'The organizations of an account', key: 'pk = MEMBERSHIPS#account, sk = MEMBERSHIP#org' }],
  key: ({ organizationId, accountId }) => ({
    pk: composed('MEMBERSHIPS', accountId),
    sk: composed('MEMBERSHIP', organizationId),
  }),
  store: pick('organizationId', 'accountId'),
  load: stored,
};

export const membershipsSpan = ({ accountId }: Pick<Membership, 'accountId'>) =>
  beginningWith(composed('MEMBERSHIPS', accountId), prefix('MEMBERSHIP'));
