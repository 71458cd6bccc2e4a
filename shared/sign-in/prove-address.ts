/**
 * Marks the address of an account as proven, and ends everything that its holder may have set up before. One
 * transaction does it all: it deletes the passkeys and marks the address as proven, which ends the sessions that rest
 * on either, and starts each membership anew, so that earlier tokens and grants (§5.2, §5.3) and earlier invitations
 * are refused.
 */
import type { Actor } from '#shared/access/actor.ts';
import { PRESENT, remove, removeWhen, update, type Write } from '#shared/engine/table/writes.ts';
import { type Account, accounts } from '#shared/model/organizations/account.ts';
import { type Membership, memberships } from '#shared/model/organizations/membership.ts';
import { passkeys, passkeysOfAccount } from '#shared/model/organizations/passkey.ts';
import { revokeDeadTokens } from '#shared/organizations/dead-tokens.ts';
import { endGrants } from '#shared/organizations/end-grants.ts';
import { withdrawInvitationsOf } from '#shared/organizations/invitations.ts';
import { membershipStart, unchanged } from '#shared/organizations/membership-rows.ts';
import type { CoreServices } from '#shared/services.ts';
import { listPasskeys } from './passkeys.ts';
import { endSessions } from './sessions.ts';

/** Writes that fail if a passkey or a membership of the account changed since it was read. */
export async function proofOf(
  services: CoreServices,
  account: Account,
  members: readonly Membership[],
): Promise<Write[]> {
  const planted = await listPasskeys(services, account);
  const starts = await Promise.all(members.map((member) => membershipStart(services, member)));
  return [
    update(
      accounts,
      account,
      { set: [['passkeys', 0]], remove: ['unproven'] },
      { all: [{ present: 'unproven' }, { path: 'passkeys', equals: planted.length }] },
    ),
    ...planted.flatMap((passkey) => [removeWhen(passkeys, passkey, PRESENT), remove(passkeysOfAccount, passkey)]),
    ...members.map((member, index) => {
      const startedAt = nextSecond(starts[index] ?? services.now());
      return update(memberships, member, { set: [['startedAt', startedAt]] }, unchanged(member));
    }),
  ];
}

/** Access tokens carry whole seconds, so one from the current second would not count as older than the membership. */
const nextSecond = (milliseconds: number): number => (Math.floor(milliseconds / 1000) + 1) * 1000;

/** Removes from the lists what the proof has ended. */
export async function clearLists(
  services: CoreServices,
  actor: Actor,
  account: Account,
  members: readonly Membership[],
): Promise<void> {
  await endSessions(services, account, () => true, actor);
  for (const member of members) {
    await withdrawInvitationsOf(services, member);
    await endGrants(services, member, 'the operator proved the address of its person');
    await revokeDeadTokens(services, member);
  }
}
