/** §5 An Admin chooses an email address and a role, and sends the secret to the person, who joins with it. */
import { CLEAN_UP, formatActorName, parseAccountId } from '#shared/access/actor.ts';
import { createSecret, hashToken } from '#shared/access/token.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { alreadyExists, notFound } from '#shared/engine/errors.ts';
import { type Condition, expectSameValues } from '#shared/engine/table/update.ts';
import { ABSENT, put, remove, type Write } from '#shared/engine/table/writes.ts';
import {
  getInvitationsSpan,
  type Invitation,
  invitations,
  invitationsBySecret,
} from '#shared/model/organizations/invitation.ts';
import type { Membership, Role } from '#shared/model/organizations/membership.ts';
import type { CoreServices } from '#shared/services.ts';
import { change, changeOrganization } from './change.ts';
import { parseEmailAddress } from './create-account.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';
import { findAddressHolders } from './members-by-address.ts';
import { planInvitationRemoval } from './membership-rows.ts';
import { authorizeRead, type OrganizationRequest } from './standing.ts';

/** The prefix of the secrets of invitations. Lets secret scanners recognize invitations. */
const SECRET_PREFIX = 'rdn_inv';

export type ListedInvitation = Omit<Invitation, 'hash'>;

interface InvitationRequest extends OrganizationRequest {
  readonly email: string;
}

/** Replaces an earlier invitation of the address. The secret is returned only here and cannot be read later. */
export function inviteMember(
  services: CoreServices,
  request: InvitationRequest & { readonly role: Role },
): Promise<ListedInvitation & { readonly secret: string }> {
  const { organizationId, actor, role } = request;
  return changeOrganization(services, { ...request, action: 'invitations:create' }, async ({ membership }) => {
    const email = parseEmailAddress(request.email);
    const { isMember, isNoMember } = await findAddressHolders(services, { organizationId, email });
    if (isMember)
      throw alreadyExists('A membership of this person', 'To change their permissions, change their role', ['email']);
    const earlierInvitation = await services.table.get(invitations, { organizationId, email }, { consistent: true });
    const secret = createSecret(SECRET_PREFIX);
    // An invitation must not be older than the membership of its inviter, even with clock skew.
    const createdAt = Math.max(services.now(), membership?.startedAt ?? 0);
    const validUntil = createdAt + ORGANIZATION_LIMITS.invitationMilliseconds;
    const invitation = { organizationId, email, role, invitedBy: formatActorName(actor), createdAt, validUntil };
    const storedInvitation = { ...invitation, hash: hashToken(secret) };
    const condition: Condition = earlierInvitation ? expectSameValues(earlierInvitation, 'hash') : ABSENT;
    const writes: Write[] = [
      ...isNoMember,
      put(invitations, storedInvitation, condition),
      put(invitationsBySecret, storedInvitation, ABSENT),
    ];
    if (earlierInvitation) writes.push(remove(invitationsBySecret, earlierInvitation));
    return {
      result: { ...invitation, secret },
      writes,
      record: { action: 'member invited', subject: email, detail: role },
    };
  });
}

/** Lists the invitations of an organization. Expired invitations remain listed until they are withdrawn or replaced. */
export async function listInvitations(
  services: CoreServices,
  request: OrganizationRequest,
): Promise<ListedInvitation[]> {
  await authorizeRead(services, request, 'invitations:list');
  const all = await services.table.queryAll(invitations, getInvitationsSpan(request), { consistent: true });
  return all.map(toListedInvitation);
}

const toListedInvitation = ({ hash: _, ...invitation }: Invitation): ListedInvitation => invitation;

export function withdrawInvitation(services: CoreServices, request: InvitationRequest): Promise<ListedInvitation> {
  const { organizationId } = request;
  return changeOrganization(services, { ...request, action: 'invitations:withdraw' }, async () => {
    const email = parseEmailAddress(request.email);
    const invitation = await services.table.get(invitations, { organizationId, email }, { consistent: true });
    if (!invitation) throw notFound('Invitation');
    return {
      result: toListedInvitation(invitation),
      writes: planInvitationRemoval(invitation),
      record: { action: 'invitation withdrawn', subject: email, detail: invitation.role },
    };
  });
}

/** For a former Admin. Invitations that an interrupted call leaves are unusable: joining checks the inviter. */
export async function withdrawInviterInvitations(
  services: CoreServices,
  { organizationId, accountId }: Pick<Membership, 'organizationId' | 'accountId'>,
): Promise<void> {
  const { table } = services;
  const all = await table.queryAll(invitations, getInvitationsSpan({ organizationId }), { consistent: true });
  const ownInvitations = all.filter(({ invitedBy }) => parseAccountId(invitedBy) === accountId);
  await mapConcurrently(ownInvitations, (ownInvitation) =>
    change(services, { actor: CLEAN_UP, action: 'invitations:cleanUp' }, async () => {
      const invitation = await table.get(invitations, ownInvitation, { consistent: true });
      // The invitation may have been withdrawn or replaced after it was listed.
      if (invitation?.hash !== ownInvitation.hash) return { result: undefined };
      const detail = `${invitation.role}: its inviter is no longer an Admin`;
      return {
        result: undefined,
        writes: planInvitationRemoval(invitation),
        record: { organizationId, action: 'invitation withdrawn', subject: invitation.email, detail },
      };
    }),
  );
}
