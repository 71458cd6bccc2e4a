/** §5 Members, their roles, and how a membership ends: the member is removed, leaves, or is deprovisioned. */

import type { AuditName } from '#shared/access/actions.ts';
import type { Person } from '#shared/access/actor.ts';
import { alreadyExists, notFound, refuse } from '#shared/engine/errors.ts';
import type { RowKind } from '#shared/engine/table/entity.ts';
import { mergeChecks, update } from '#shared/engine/table/writes.ts';
import { grants, grantsOfAccount } from '#shared/model/oauth/oauth-grant.ts';
import { type Account, accounts } from '#shared/model/organizations/account.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import {
  getMembersSpan,
  type Membership,
  memberships,
  membershipsOfAccount,
  type Role,
} from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import type { CoreServices } from '#shared/services.ts';
import { changeOrganization } from './change.ts';
import { revokeDeadTokens } from './dead-tokens.ts';
import { endGrants } from './end-grants.ts';
import { lastAdmin } from './errors.ts';
import { withdrawInviterInvitations } from './invitations.ts';
import {
  adjustAdminCount,
  countAsAdmin,
  expectUnchangedMembership,
  makeAccountCheck,
  planMembership,
  planMembershipRemoval,
  readMembership,
} from './membership-rows.ts';
import { authorizeRead, type OrganizationRequest } from './standing.ts';
import { requireKnownHolder } from './unproven-account.ts';

interface MemberRequest extends OrganizationRequest {
  readonly accountId: string;
}

export async function listMembers(services: CoreServices, request: OrganizationRequest): Promise<Membership[]> {
  await authorizeRead(services, request, 'members:list');
  return services.table.queryAll(memberships, getMembersSpan(request), { consistent: true });
}

/** A member with their account, which contains the name and the email address. */
export interface KnownMember {
  readonly member: Membership;
  readonly account: Account | undefined;
}

export async function listPeople(services: CoreServices, request: OrganizationRequest): Promise<KnownMember[]> {
  const members = await listMembers(services, request);
  const storedAccounts = await services.table.getMany(accounts, members, { consistent: true });
  return members.map((member, index) => ({ member, account: storedAccounts[index] }));
}

interface Addition extends MemberRequest {
  readonly role: Role;
  /**
   * The organization whose invitation created the account. Required for an unproven address if it is not the one that
   * the member joins. By naming it, the operator confirms that they know the holder of the account.
   */
  readonly invitedBy?: string | undefined;
}

/** Adds a member without an invitation. This is how an organization that the operator created gets its first Admin. */
export function addMember(services: CoreServices, request: Addition): Promise<Membership> {
  const { accountId, role } = request;
  return changeOrganization(services, { ...request, action: 'members:add' }, async ({ organization }) => {
    const account = (await services.table.get(accounts, request, { consistent: true })) ?? refuse(notFound('Account'));
    if (await services.table.get(memberships, request, { consistent: true }))
      throw alreadyExists('A membership of this person', 'To change their permissions, change their role');
    await requireKnownHolder(services, account, request);
    const { membership, writes } = await planMembership(services, { organization, account, role });
    return {
      result: membership,
      writes: mergeChecks([makeAccountCheck(account)], writes),
      record: { action: 'member added', subject: accountId, detail: role },
    };
  });
}

/** Also withdraws a former Admin's invitations. Idempotent: withdraws those that an interrupted call did not reach. */
export async function changeRole(
  services: CoreServices,
  request: MemberRequest & { readonly role: Role },
): Promise<Membership> {
  const { accountId, role } = request;
  const action = 'members:changeRole';
  const membership = await changeOrganization(services, { ...request, action }, async ({ organization }) => {
    const currentMembership = await readMembership(services, request);
    if (currentMembership.role === role) return { result: currentMembership };
    const difference = countAsAdmin(role) - countAsAdmin(currentMembership.role);
    if (difference < 0 && organization.admins < 2) throw lastAdmin();
    return {
      result: { ...currentMembership, role },
      writes: [
        update(memberships, currentMembership, { set: [['role', role]] }, expectUnchangedMembership(currentMembership)),
        ...adjustAdminCount(organization, difference),
      ],
      record: { action: 'role changed', subject: accountId, detail: `${currentMembership.role} to ${role}` },
    };
  });
  if (role !== 'admin') await withdrawInviterInvitations(services, request);
  return membership;
}

interface EndedMembership {
  /** The number of Admins left in the organization. */
  readonly admins: number;
}

/** The kinds of table rows that a function must be allowed to write to call `removeMember` or `leaveOrganization`. */
export const ROWS_OF_REMOVAL: readonly RowKind[] = [
  memberships,
  membershipsOfAccount,
  organizations,
  grants,
  grantsOfAccount,
  auditRecords,
  invitations,
  invitationsBySecret,
];

export const removeMember = (services: CoreServices, request: MemberRequest): Promise<EndedMembership> =>
  endMembership(services, request, 'members:remove', 'member removed');

export const leaveOrganization = (
  services: CoreServices,
  request: { readonly organizationId: string; readonly actor: Person },
): Promise<EndedMembership> =>
  endMembership(services, { ...request, accountId: request.actor.accountId }, 'members:leave', 'member left');

/**
 * Ends the membership of someone who was removed from the company's directory of people. Removes even the last Admin,
 * because otherwise that person would keep their access. The operator then appoints a new Admin.
 */
export async function deprovisionMember(services: CoreServices, request: MemberRequest): Promise<EndedMembership> {
  const endedMembership = await endMembership(services, request, 'members:deprovision', 'member deprovisioned');
  await revokeDeadTokens(services, request);
  return endedMembership;
}

/**
 * What follows the end of a membership by the directory of a company. The tokens, applications and invitations are
 * refused already; this takes them from the lists. Idempotent: continues what an interrupted call left.
 */
export async function finishDeprovisioning(services: CoreServices, member: MembershipKey): Promise<void> {
  await finishRemoval(services, member);
  await revokeDeadTokens(services, member);
}

/** Ends the membership, withdraws the invitations that the person created, and disconnects their applications. */
async function endMembership<Name extends 'members:remove' | 'members:leave' | 'members:deprovision'>(
  services: CoreServices,
  request: MemberRequest,
  action: Name,
  record: AuditName<Name>,
): Promise<EndedMembership> {
  const endedMembership = await changeOrganization(services, { ...request, action }, async ({ organization }) => {
    const membership = await readMembership(services, request);
    const { accountId, role } = membership;
    const difference = -countAsAdmin(role);
    const admins = organization.admins + difference;
    if (action !== 'members:deprovision' && role === 'admin' && admins < 1) throw lastAdmin();
    return {
      result: { admins },
      writes: [...planMembershipRemoval(membership), ...adjustAdminCount(organization, difference)],
      record: { action: record, subject: accountId, detail: role },
    };
  });
  await finishRemoval(services, request);
  return endedMembership;
}

type MembershipKey = Pick<Membership, 'organizationId' | 'accountId'>;

async function finishRemoval(services: CoreServices, member: MembershipKey): Promise<void> {
  await withdrawInviterInvitations(services, member);
  await endGrants(services, member, 'its user is no longer a member');
}
