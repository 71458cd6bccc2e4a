/**
 * §5 Invitations. An Admin chooses an email address and a role, and sends the secret to the person, who joins with it.
 */
import { accountIdIn, actorName, CLEAN_UP } from '#shared/access/actor.ts';
import { createSecret, hashToken } from '#shared/access/token.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { alreadyExists, notFound } from '#shared/engine/errors.ts';
import { ABSENT, type Check, check, put, remove } from '#shared/engine/table/writes.ts';
import { accountsByEmail } from '#shared/model/organizations/account.ts';
import {
  getInvitationsSpan,
  type Invitation,
  invitations,
  invitationsBySecret,
} from '#shared/model/organizations/invitation.ts';
import { type Membership, memberships, type Role } from '#shared/model/organizations/membership.ts';
import type { CoreServices } from '#shared/services.ts';
import { change, changeOrganization } from './change.ts';
import { addressFrom } from './create-account.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';
import { withoutInvitation } from './membership-rows.ts';
import { authorizeRead, type OrganizationRequest } from './standing.ts';

/** The prefix of the secrets of invitations. Lets secret scanners recognize invitations. */
const SECRET_PREFIX = 'rdn_inv';

export type ListedInvitation = Omit<Invitation, 'hash'>;

interface InvitationRequest extends OrganizationRequest {
  readonly email: string;
}

/**
 * Creates an invitation, and replaces an earlier one for the same address. The secret is returned only here and cannot
 * be read later.
 */
export function invite(
  services: CoreServices,
  request: InvitationRequest & { readonly role: Role },
): Promise<ListedInvitation & { readonly secret: string }> {
  const { organizationId, actor, role } = request;
  return changeOrganization(services, { ...request, action: 'invitations:create' }, async ({ membership }) => {
    const email = addressFrom(request.email);
    const isNoMember = await requireNoMember(services, { organizationId, email });
    const earlier = await services.table.get(invitations, { organizationId, email }, { consistent: true });
    const secret = createSecret(SECRET_PREFIX);
    // An invitation must not be older than the membership of its inviter, even with clock skew.
    const createdAt = Math.max(services.now(), membership?.startedAt ?? 0);
    const validUntil = createdAt + ORGANIZATION_LIMITS.invitationMilliseconds;
    const invitation = { organizationId, email, role, invitedBy: actorName(actor), createdAt, validUntil };
    const stored = { ...invitation, hash: hashToken(secret) };
    return {
      result: { ...invitation, secret },
      writes: [
        isNoMember,
        put(invitations, stored, earlier ? { path: 'hash', equals: earlier.hash } : ABSENT),
        put(invitationsBySecret, stored, ABSENT),
        ...(earlier ? [remove(invitationsBySecret, earlier)] : []),
      ],
      record: { action: 'member invited', subject: email, detail: role },
    };
  });
}

/**
 * Throws 409 if the person is already a member. Returns a check that makes the transaction fail if the person joins in
 * the meantime.
 */
async function requireNoMember(
  { table }: CoreServices,
  { organizationId, email }: { readonly organizationId: string; readonly email: string },
): Promise<Check> {
  const account = await table.get(accountsByEmail, { email }, { consistent: true });
  if (!account) return check(accountsByEmail, { email }, ABSENT);
  const key = { organizationId, accountId: account.accountId };
  if (await table.get(memberships, key, { consistent: true }))
    throw alreadyExists('A membership of this person', 'To change their permissions, change their role');
  return check(memberships, key, ABSENT);
}

/** Lists the invitations of an organization. Expired invitations remain listed until they are withdrawn or replaced. */
export async function listInvitations(
  services: CoreServices,
  request: OrganizationRequest,
): Promise<ListedInvitation[]> {
  await authorizeRead(services, request, 'invitations:list');
  const all = await services.table.queryAll(invitations, getInvitationsSpan(request), { consistent: true });
  return all.map(listedInvitation);
}

const listedInvitation = ({ hash: _, ...invitation }: Invitation): ListedInvitation => invitation;

export function withdrawInvitation(services: CoreServices, request: InvitationRequest): Promise<ListedInvitation> {
  const { organizationId } = request;
  return changeOrganization(services, { ...request, action: 'invitations:withdraw' }, async () => {
    const email = addressFrom(request.email);
    const invitation = await services.table.get(invitations, { organizationId, email }, { consistent: true });
    if (!invitation) throw notFound('Invitation');
    return {
      result: listedInvitation(invitation),
      writes: withoutInvitation(invitation),
      record: { action: 'invitation withdrawn', subject: email, detail: invitation.role },
    };
  });
}

/**
 * Withdraws the invitations that were created by a person who is no longer an Admin. Even if a call is interrupted, the
 * remaining invitations cannot be used, because joining checks the membership of the inviter.
 */
export async function withdrawInvitationsOf(
  services: CoreServices,
  { organizationId, accountId }: Pick<Membership, 'organizationId' | 'accountId'>,
): Promise<void> {
  const { table } = services;
  const all = await table.queryAll(invitations, getInvitationsSpan({ organizationId }), { consistent: true });
  const own = all.filter(({ invitedBy }) => accountIdIn(invitedBy) === accountId);
  await mapConcurrently(own, (listed) =>
    change(services, { actor: CLEAN_UP, action: 'invitations:cleanUp' }, async () => {
      const invitation = await table.get(invitations, listed, { consistent: true });
      // The invitation may have been withdrawn or replaced after it was listed.
      if (invitation?.hash !== listed.hash) return { result: undefined };
      const detail = `${invitation.role}: its inviter is no longer an Admin`;
      return {
        result: undefined,
        writes: withoutInvitation(invitation),
        record: { organizationId, action: 'invitation withdrawn', subject: invitation.email, detail },
      };
    }),
  );
}
