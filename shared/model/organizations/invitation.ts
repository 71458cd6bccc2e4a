/** §5 An invitation to join an organization. In each organization, an email address has at most one invitation. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick, toAttributes } from '#shared/engine/table/stored.ts';
import type { Role } from './membership.ts';

export interface Invitation {
  readonly organizationId: string;
  /** The address in lower case, as in accounts. */
  readonly email: string;
  readonly role: Role;
  /** SHA-256 of the secret, in hex. */
  readonly hash: string;
  /** The name of the actor who sent the invitation, as in audit records. */
  readonly invitedBy: string;
  /** Creation time, in epoch milliseconds. */
  readonly createdAt: number;
  /** Expiry in epoch milliseconds. The invitation cannot be accepted after this time. */
  readonly validUntil: number;
}

export const invitations: Entity<Pick<Invitation, 'organizationId' | 'email'>, Invitation> = {
  type: 'invitation',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [
    { question: 'The invitation for an address' },
    { question: 'All invitations of an organization', begins: 'INVITATION#' },
  ],
  key: ({ organizationId, email }) => ({
    pk: composeKey('INVITATIONS', organizationId),
    sk: composeKey('INVITATION', email),
  }),
  store: toAttributes,
  load: loadAttributes,
};

export const getInvitationsSpan = ({ organizationId }: Pick<Invitation, 'organizationId'>) =>
  getPrefixSpan(composeKey('INVITATIONS', organizationId), composePrefix('INVITATION'));

export const invitationsBySecret: Entity<
  Pick<Invitation, 'hash'>,
  Pick<Invitation, 'hash' | 'organizationId' | 'email'>
> = {
  type: 'invitation, by secret',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'The invitation with this secret', of: { hash: 'sha256(secret)' } }],
  key: ({ hash }) => ({ pk: composeKey('INVITATION', hash), sk: 'INVITATION' }),
  store: pick('hash', 'organizationId', 'email'),
  load: loadAttributes,
};
