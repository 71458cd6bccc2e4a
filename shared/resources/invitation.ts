/** §5 An invitation to join an organization, one for an address at a time. Asked for: by the hash of its secret; all of an organization. */
import { beginningWith, type Entity } from '../table/entity.ts';
import { composed, prefix } from '../table/keys.ts';
import { stored } from '../table/stored.ts';
import type { Role } from './membership.ts';

export interface Invitation {
  readonly organizationId: string;
  /** Lower case, as that of an account. */
  readonly email: string;
  /** What they become. */
  readonly role: Role;
  /** SHA-256 of its secret, hex. */
  readonly hash: string;
  /** Who sent it, as an audit record names them. */
  readonly invitedBy: string;
  /** Milliseconds. */
  readonly createdAt: number;
  /** Milliseconds: the last at which it can be accepted. */
  readonly validUntil: number;
}

export const invitations: Entity<Pick<Invitation, 'organizationId' | 'email'>, Invitation> = {
  type: 'invitation',
  patterns: [
    { question: 'The invitation for an address', key: 'pk = INVITATIONS#org, sk = INVITATION#email' },
    { question: 'All invitations of an organization', key: 'pk = INVITATIONS#org, sk begins with INVITATION#' },
  ],
  key: ({ organizationId, email }) => ({
    pk: composed('INVITATIONS', organizationId),
    sk: composed('INVITATION', email),
  }),
  store: (invitation) => ({ ...invitation }),
  load: (row) => stored<Invitation>(row),
};

export const invitationsSpan = ({ organizationId }: Pick<Invitation, 'organizationId'>) =>
  beginningWith(composed('INVITATIONS', organizationId), prefix('INVITATION'));

type Pointer = Pick<Invitation, 'hash' | 'organizationId' | 'email'>;

/** A pointer: the invitation itself stands once, in its organization. */
export const invitationsBySecret: Entity<Pick<Invitation, 'hash'>, Pointer> = {
  type: 'invitation, by secret',
  patterns: [{ question: 'The invitation with this secret', key: 'pk = INVITATION#sha256(secret), sk = INVITATION' }],
  key: ({ hash }) => ({ pk: composed('INVITATION', hash), sk: 'INVITATION' }),
  store: ({ hash, organizationId, email }) => ({ hash, organizationId, email }),
  load: (row) => stored<Pointer>(row),
};
