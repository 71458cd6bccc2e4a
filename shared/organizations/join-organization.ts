/** §5 Joins an organization with the secret of an invitation. A former member who rejoins gets a new membership. */
import { type Person, parseAccountId } from '#shared/access/actor.ts';
import { hashToken } from '#shared/access/token.ts';
import { type Check, check, mergeChecks } from '#shared/engine/table/writes.ts';
import { type Account, accounts } from '#shared/model/organizations/account.ts';
import { type Invitation, invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { type Membership, memberships } from '#shared/model/organizations/membership.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import type { CoreServices } from '#shared/services.ts';
import { change } from './change.ts';
import { invitationNotFound } from './errors.ts';
import { expectUnchangedMembership, makeAccountCheck, planMembership } from './membership-rows.ts';
import { ACTIVE } from './standing.ts';
import { requireProven } from './unproven-account.ts';

/** Every unusable secret gets the same 404, which reveals nothing about other people's invitations. */
export function joinOrganization(
  services: CoreServices,
  { actor, secret }: { readonly actor: Person; readonly secret: string },
): Promise<Membership> {
  return change(services, { actor, action: 'organizations:join' }, async () => {
    const [open, account] = await Promise.all([
      findOpenInvitation(services, secret),
      services.table.get(accounts, actor, { consistent: true }),
    ]);
    if (!open || open.invitation.email !== account?.email) throw invitationNotFound();
    requireProven(account, open.invitation.organizationId);
    const joinPlan = await planJoin(services, open, account);
    return { ...joinPlan, writes: mergeChecks([makeAccountCheck(account)], joinPlan.writes) };
  });
}

interface OpenInvitation {
  readonly invitation: Invitation;
  readonly organization: Organization;
  /** Checks that make the transaction fail if the inviter's role or membership has changed. */
  readonly isInviterAdmin: readonly Check[];
}

/** The invitation with this secret, if it can be accepted now. */
export async function findOpenInvitation(
  { table, now }: CoreServices,
  secret: string,
): Promise<OpenInvitation | undefined> {
  const hash = hashToken(secret.trim());
  const pointer = await table.get(invitationsBySecret, { hash }, { consistent: true });
  if (!pointer) return undefined;
  const [invitation, organization] = await Promise.all([
    table.get(invitations, pointer, { consistent: true }),
    table.get(organizations, pointer, { consistent: true }),
  ]);
  if (!invitation || !organization) return undefined;
  const isOpen = invitation.hash === hash && now() <= invitation.validUntil && organization.deactivatedAt === undefined;
  if (!isOpen) return undefined;
  const accountId = parseAccountId(invitation.invitedBy);
  // The operator created this invitation. The operator has no account, so there is no membership to check.
  if (accountId === undefined) return { invitation, organization, isInviterAdmin: [] };
  const { organizationId, createdAt } = invitation;
  const inviter = await table.get(memberships, { organizationId, accountId }, { consistent: true });
  if (inviter?.role !== 'admin' || inviter.startedAt > createdAt) return undefined;
  const isInviterAdmin = [check(memberships, inviter, expectUnchangedMembership(inviter))];
  return { invitation, organization, isInviterAdmin };
}

/** The writes fail if the invitation, or the role or membership of the inviter, has changed in the meantime. */
export async function planJoin(
  services: CoreServices,
  { invitation, organization, isInviterAdmin }: OpenInvitation,
  account: Account,
) {
  const { organizationId } = organization;
  const { membership, writes } = await planMembership(services, { organization, account, role: invitation.role });
  const isUnchanged = check(invitations, invitation, { path: 'hash', equals: invitation.hash });
  return {
    result: membership,
    writes: mergeChecks([check(organizations, organization, ACTIVE), isUnchanged, ...isInviterAdmin], writes),
    record: { organizationId, action: 'member joined' as const, subject: account.accountId, detail: invitation.role },
  };
}
