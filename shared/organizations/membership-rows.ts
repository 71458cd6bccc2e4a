/** §5 What a membership's beginning and changes write. Conditions hold them to what was read. */
import { tokensOf } from '../credentials/tokens-of.ts';
import { notFound, refuse } from '../errors.ts';
import type { Account } from '../resources/account.ts';
import { type Invitation, invitations, invitationsBySecret } from '../resources/invitation.ts';
import { type Membership, memberships, type Role } from '../resources/membership.ts';
import { type Organization, organizations } from '../resources/organization.ts';
import type { Administration } from '../services.ts';
import type { Condition } from '../table/update.ts';
import { ABSENT, check, put, remove, removeWhen, update, type Write } from '../table/writes.ts';

export async function membershipOf(
  { table }: Pick<Administration, 'table'>,
  of: Pick<Membership, 'organizationId' | 'accountId'>,
): Promise<Membership> {
  return (await table.get(memberships, of, { consistent: true })) ?? refuse(notFound('Membership'));
}

export const unchanged = ({ role, startedAt }: Membership): Condition => ({
  all: [
    { path: 'role', equals: role },
    { path: 'startedAt', equals: startedAt },
  ],
});

export const adminsIn = (role: Role): number => (role === 'admin' ? 1 : 0);

/** Nothing where their number stays what it is. */
export const countAdmins = (organization: Organization, difference: number): Write[] =>
  difference === 0
    ? []
    : [
        update(
          organizations,
          organization,
          { add: [['admins', difference]] },
          { path: 'admins', equals: organization.admins },
        ),
      ];

/**
 * Of somebody who is no member. Also ends an invitation for the same person: one that a member still had would let them
 * in again after their removal.
 */
export async function newMembership(
  services: Administration,
  { organization, account, role }: { organization: Organization; account: Account; role: Role },
): Promise<{ membership: Membership; writes: Write[] }> {
  const { table } = services;
  const key = { organizationId: organization.organizationId, accountId: account.accountId, email: account.email };
  const invitation = await table.get(invitations, key, { consistent: true });
  const { organizationId, accountId } = key;
  const membership = { organizationId, accountId, role, startedAt: await startFor(services, key) };
  const writes = [
    put(memberships, membership, ABSENT),
    ...countAdmins(organization, adminsIn(role)),
    ...(invitation ? withoutInvitation(invitation) : [check(invitations, key, ABSENT)]),
  ];
  return { membership, writes };
}

/** §5.2 After any token of an earlier membership was issued, by whatever clock. */
async function startFor(
  services: Administration,
  { organizationId, accountId }: Pick<Membership, 'organizationId' | 'accountId'>,
): Promise<number> {
  const tokens = await tokensOf(services, { organizationId });
  const issued = tokens.filter((token) => token.accountId === accountId).map(({ createdAt }) => createdAt + 1);
  return Math.max(services.now(), ...issued);
}

/** That it is still the one that was read is a condition. */
export const withoutInvitation = (invitation: Invitation): Write[] => [
  removeWhen(invitations, invitation, { path: 'hash', equals: invitation.hash }),
  remove(invitationsBySecret, invitation),
];
