/** §5 An account's membership of an organization, and since when. Asked for: by both, on every request of a token; all of an organization. */
import { beginningWith, type Entity } from '../table/entity.ts';
import { composed, prefix } from '../table/keys.ts';
import { stored } from '../table/stored.ts';

export const ROLES = ['admin', 'actionsAdmin', 'member', 'guest'] as const;
export type Role = (typeof ROLES)[number];

export interface Membership {
  readonly organizationId: string;
  readonly accountId: string;
  readonly role: Role;
  /** Milliseconds. A token issued before it is refused, though its owner is back. */
  readonly startedAt: number;
}

export const memberships: Entity<Pick<Membership, 'organizationId' | 'accountId'>, Membership> = {
  type: 'membership',
  patterns: [
    { question: "An account's membership of an organization", key: 'pk = MEMBERS#org, sk = MEMBER#account' },
    { question: 'All members of an organization', key: 'pk = MEMBERS#org, sk begins with MEMBER#' },
  ],
  key: ({ organizationId, accountId }) => ({
    pk: composed('MEMBERS', organizationId),
    sk: composed('MEMBER', accountId),
  }),
  store: (membership) => ({ ...membership }),
  load: (row) => stored<Membership>(row),
};

export const membersSpan = ({ organizationId }: Pick<Membership, 'organizationId'>) =>
  beginningWith(composed('MEMBERS', organizationId), prefix('MEMBER'));
