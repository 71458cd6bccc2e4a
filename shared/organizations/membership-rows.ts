/** §5 The writes that start, change and end a membership. They fail if the rows have changed since the read. */
import { parseAccountId } from '#shared/access/actor.ts';
import { conflict, notFound, refuse } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { type Condition, expectSameValues } from '#shared/engine/table/update.ts';
import {
  ABSENT,
  type Check,
  check,
  PRESENT,
  put,
  remove,
  removeWhen,
  update,
  type Write,
} from '#shared/engine/table/writes.ts';
import { type Account, accounts } from '#shared/model/organizations/account.ts';
import {
  getInvitationsSpan,
  type Invitation,
  invitations,
  invitationsBySecret,
} from '#shared/model/organizations/invitation.ts';
import {
  type Membership,
  memberships,
  membershipsOfAccount,
  type Role,
} from '#shared/model/organizations/membership.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import type { CoreServices } from '#shared/services.ts';
import { listAccountGrants } from './end-grants.ts';
import { managedElsewhere } from './errors.ts';
import { readOrganizationTokens } from './list-personal-tokens.ts';

type MembershipKey = Pick<Membership, 'organizationId' | 'accountId'>;

export async function readMembership({ table }: WithTable, key: MembershipKey): Promise<Membership> {
  return (await table.get(memberships, key, { consistent: true })) ?? refuse(notFound('Membership'));
}

export const expectUnchangedMembership = (membership: Membership): Condition =>
  expectSameValues(membership, 'role', 'startedAt');

export const countAsAdmin = (role: Role): number => (role === 'admin' ? 1 : 0);

export function adjustAdminCount(organization: Organization, difference: number): Write[] {
  if (difference === 0) return [];
  const isUnchanged = expectSameValues(organization, 'admins');
  return [update(organizations, organization, { add: [['admins', difference]] }, isUnchanged)];
}

/**
 * Throws 409 if another organization manages the account: the provider or directory of an organization must never open
 * another one.
 */
export function planMembershipRows({ managedBy }: Account, membership: Membership): Write[] {
  if (managedBy !== undefined && managedBy !== membership.organizationId) throw managedElsewhere();
  return [put(memberships, membership, ABSENT), put(membershipsOfAccount, membership)];
}

/**
 * Makes the transaction fail if the account was removed since the read. Throws 409 while it is being removed with the
 * last organization of its person, because waiting for the outcome may take longer than a request.
 */
export function makeAccountCheck(account: Account): Check {
  if (account.leaving !== undefined) throw conflict('This account');
  return check(accounts, account, { all: [PRESENT, { absent: 'leaving' }] });
}

export const planMembershipRemoval = (membership: Membership): Write[] => [
  removeWhen(memberships, membership, expectUnchangedMembership(membership)),
  remove(membershipsOfAccount, membership),
];

interface NewMembership {
  readonly organization: Organization;
  readonly account: Account;
  readonly role: Role;
  /** Whether the person may have been a member before, so that no access token from before may work again. */
  readonly isReturn?: boolean;
}

/**
 * Issue times of access tokens are whole seconds, so a token from the current second would not count as older than a
 * membership that starts now.
 */
export const toNextSecond = (milliseconds: number): number => (Math.floor(milliseconds / 1000) + 1) * 1000;

/** Removes an invitation of the person, who could otherwise use it to rejoin after being removed. */
export async function planMembership(
  services: CoreServices,
  { organization, account, role, isReturn = false }: NewMembership,
): Promise<{ membership: Membership; writes: Write[] }> {
  const { table } = services;
  const { organizationId } = organization;
  const { accountId, email } = account;
  const invitation = await table.get(invitations, { organizationId, email }, { consistent: true });
  const start = await computeMembershipStart(services, { organizationId, accountId });
  const membership = { organizationId, accountId, role, startedAt: isReturn ? toNextSecond(start) : start };
  const invitationWrites = invitation
    ? planInvitationRemoval(invitation)
    : [check(invitations, { organizationId, email }, ABSENT)];
  const adminWrites = adjustAdminCount(organization, countAsAdmin(role));
  return { membership, writes: [...planMembershipRows(account, membership), ...adminWrites, ...invitationWrites] };
}

/** §5.2 Later than any token, grant or invitation of an earlier membership, even with clock skew. */
export async function computeMembershipStart(
  services: CoreServices,
  { organizationId, accountId }: MembershipKey,
): Promise<number> {
  const [tokens, grants, storedInvitations] = await Promise.all([
    readOrganizationTokens(services, { organizationId }),
    listAccountGrants(services, { organizationId, accountId }),
    services.table.queryAll(invitations, getInvitationsSpan({ organizationId }), { consistent: true }),
  ]);
  const ownItems = [
    ...tokens.filter((token) => token.accountId === accountId),
    ...grants,
    ...storedInvitations.filter(({ invitedBy }) => parseAccountId(invitedBy) === accountId),
  ];
  return Math.max(services.now(), ...ownItems.map(({ createdAt }) => createdAt + 1));
}

export const planInvitationRemoval = (invitation: Invitation): Write[] => [
  removeWhen(invitations, invitation, expectSameValues(invitation, 'hash')),
  remove(invitationsBySecret, invitation),
];
