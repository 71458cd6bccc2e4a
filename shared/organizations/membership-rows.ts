/**
 * §5 The writes that start, change and end a membership. The writes fail if the rows have changed since they were read.
 */
import { accountIdIn } from '#shared/access/actor.ts';
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
import { listedGrants } from './end-grants.ts';
import { readOrganizationTokens } from './list-personal-tokens.ts';

type MembershipKey = Pick<Membership, 'organizationId' | 'accountId'>;

export async function membershipOf({ table }: WithTable, key: MembershipKey): Promise<Membership> {
  return (await table.get(memberships, key, { consistent: true })) ?? refuse(notFound('Membership'));
}

export const unchanged = (membership: Membership): Condition => expectSameValues(membership, 'role', 'startedAt');

export const adminsIn = (role: Role): number => (role === 'admin' ? 1 : 0);

/** Adjusts the number of Admins of the organization. Returns no write if the number stays the same. */
export const countAdmins = (organization: Organization, difference: number): Write[] =>
  difference === 0
    ? []
    : [
        update(
          organizations,
          organization,
          { add: [['admins', difference]] },
          expectSameValues(organization, 'admins'),
        ),
      ];

/** The writes that store a new membership and its list entry. */
export const membershipRows = (membership: Membership): Write[] => [
  put(memberships, membership, ABSENT),
  put(membershipsOfAccount, membership),
];

/**
 * Returns a check that makes the transaction fail if the account has been removed since it was read. Throws 409 if the
 * account is being removed together with the last organization of its person, because waiting for the outcome may take
 * longer than a request.
 */
export function hasAccount(account: Account): Check {
  if (account.leaving !== undefined) throw conflict('This account');
  return check(accounts, account, { all: [PRESENT, { absent: 'leaving' }] });
}

/** The writes that end a membership. They fail if the membership has changed since it was read. */
export const withoutMembership = (membership: Membership): Write[] => [
  removeWhen(memberships, membership, unchanged(membership)),
  remove(membershipsOfAccount, membership),
];

/**
 * Plans the writes that create a membership and remove an invitation for the person. Otherwise the person could use the
 * invitation to rejoin after being removed.
 */
export async function newMembership(
  services: CoreServices,
  { organization, account, role }: { organization: Organization; account: Account; role: Role },
): Promise<{ membership: Membership; writes: Write[] }> {
  const { table } = services;
  const key = { organizationId: organization.organizationId, accountId: account.accountId, email: account.email };
  const invitation = await table.get(invitations, key, { consistent: true });
  const { organizationId, accountId } = key;
  const membership = { organizationId, accountId, role, startedAt: await membershipStart(services, key) };
  const writes = [
    ...membershipRows(membership),
    ...countAdmins(organization, adminsIn(role)),
    ...(invitation ? withoutInvitation(invitation) : [check(invitations, key, ABSENT)]),
  ];
  return { membership, writes };
}

/**
 * §5.2 The start time of a new membership. It is later than the creation of any token, grant or invitation from an
 * earlier membership, even with clock skew.
 */
export async function membershipStart(
  services: CoreServices,
  { organizationId, accountId }: MembershipKey,
): Promise<number> {
  const [tokens, grants, invited] = await Promise.all([
    readOrganizationTokens(services, { organizationId }),
    listedGrants(services, { organizationId, accountId }),
    services.table.queryAll(invitations, getInvitationsSpan({ organizationId }), { consistent: true }),
  ]);
  const own = [
    ...tokens.filter((token) => token.accountId === accountId),
    ...grants,
    ...invited.filter(({ invitedBy }) => accountIdIn(invitedBy) === accountId),
  ];
  return Math.max(services.now(), ...own.map(({ createdAt }) => createdAt + 1));
}

/** The writes that remove an invitation. They fail if the invitation has been replaced since it was read. */
export const withoutInvitation = (invitation: Invitation): Write[] => [
  removeWhen(invitations, invitation, expectSameValues(invitation, 'hash')),
  remove(invitationsBySecret, invitation),
];
