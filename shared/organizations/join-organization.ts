/** §5 Joins an organization with the secret of an invitation. A former member starts a new membership. */
import type { Person } from '#shared/access/actor.ts';
import { hashToken } from '#shared/access/token.ts';
import { invitationNotFound, refuse } from '#shared/engine/errors.ts';
import { check, checked } from '#shared/engine/table/writes.ts';
import { type Account, accounts } from '#shared/model/account.ts';
import { type Invitation, invitations, invitationsBySecret } from '#shared/model/invitation.ts';
import type { Membership } from '#shared/model/membership.ts';
import { type Organization, organizations } from '#shared/model/organization.ts';
import type { CoreServices } from '#shared/services.ts';
import { change } from './change.ts';
import { newMembership } from './membership-rows.ts';
import { ACTIVE } from './standing.ts';

/** Every unusable secret gets the same refusal, so it reveals nothing about other people's invitations. */
export function joinOrganization(
  services: CoreServices,
  { actor, secret }: { readonly actor: Person; readonly secret: string },
): Promise<Membership> {
  const hash = hashToken(secret.trim());
  return change(services, { actor, action: 'organizations:join' }, async () => {
    const usable = await findUsable(services, { actor, hash });
    const { invitation, account, organization } = usable ?? refuse(invitationNotFound());
    const { organizationId } = organization;
    const { membership, writes } = await newMembership(services, { organization, account, role: invitation.role });
    return {
      result: membership,
      writes: checked([check(organizations, organization, ACTIVE), unchangedInvitation(invitation)], writes),
      record: { organizationId, action: 'member joined', subject: account.accountId, detail: invitation.role },
    };
  });
}

const unchangedInvitation = (invitation: Invitation) =>
  check(invitations, invitation, { path: 'hash', equals: invitation.hash });

interface UsableInvitation {
  readonly invitation: Invitation;
  readonly account: Account;
  readonly organization: Organization;
}

async function findUsable(
  { table, now }: CoreServices,
  { actor, hash }: { readonly actor: Person; readonly hash: string },
): Promise<UsableInvitation | undefined> {
  const pointer = await table.get(invitationsBySecret, { hash }, { consistent: true });
  if (!pointer) return undefined;
  const [invitation, account, organization] = await Promise.all([
    table.get(invitations, pointer, { consistent: true }),
    table.get(accounts, actor, { consistent: true }),
    table.get(organizations, pointer, { consistent: true }),
  ]);
  if (!invitation || !account || !organization) return undefined;
  const isOpen = invitation.hash === hash && now() <= invitation.validUntil && organization.deactivatedAt === undefined;
  return isOpen && invitation.email === account.email ? { invitation, account, organization } : undefined;
}
