/**
 * Marks the address of an account as proven, and ends the access that its holder may have set up before. One transaction
 * replaces the name that its holder has chosen, deletes the passkeys and the identities at providers, and gives each
 * membership a new start time. This ends all sessions that depend on a deleted passkey or identity, or on the unproven
 * address. Tokens and grants (§5.2, §5.3) and invitations from before the new start time are refused. API keys and
 * webhooks stay, because they belong to the organization.
 */

import { expectSameValues, toAssignments } from '#shared/engine/table/update.ts';
import { PRESENT, remove, removeWhen, update, type Write } from '#shared/engine/table/writes.ts';
import { type Account, accounts } from '#shared/model/organizations/account.ts';
import { type Membership, memberships } from '#shared/model/organizations/membership.ts';
import { passkeys, passkeysOfAccount } from '#shared/model/sign-in/passkey.ts';
import {
  computeMembershipStart,
  expectUnchangedMembership,
  toNextSecond,
} from '#shared/organizations/membership-rows.ts';
import type { CoreServices } from '#shared/services.ts';
import { listPasskeys } from './passkeys.ts';
import { listProviderIdentities, planIdentityRemoval } from './provider-identities.ts';

/** The name of an account whose own name a stranger may have chosen. The operator may give another one. */
export const deriveNeutralName = ({ email }: Account): string => email.slice(0, email.lastIndexOf('@'));

/** The writes fail if a passkey or a membership of the account has changed since it was read. */
export async function planProof(
  services: CoreServices,
  account: Account,
  members: readonly Membership[],
): Promise<Write[]> {
  const [earlierPasskeys, earlierIdentities] = await Promise.all([
    listPasskeys(services, account),
    listProviderIdentities(services, account),
  ]);
  const starts = await Promise.all(members.map((member) => computeMembershipStart(services, member)));
  const changes = { set: toAssignments({ passkeys: 0, name: account.name }), remove: ['unproven', 'identities'] };
  const isUnchanged = {
    all: [
      { present: 'unproven' },
      { path: 'passkeys', equals: earlierPasskeys.length },
      expectSameValues(account, 'identities'),
    ],
  };
  return [
    update(accounts, account, changes, isUnchanged),
    ...earlierPasskeys.flatMap((passkey) => [
      removeWhen(passkeys, passkey, PRESENT),
      remove(passkeysOfAccount, passkey),
    ]),
    ...earlierIdentities.flatMap(planIdentityRemoval),
    ...members.map((member, index) => {
      const startedAt = toNextSecond(starts[index] ?? services.now());
      return update(memberships, member, { set: [['startedAt', startedAt]] }, expectUnchangedMembership(member));
    }),
  ];
}
