/**
 * Proves that an account belongs to the person at its address, and ends everything that its holder may have set up before. One
 * transaction decides it: passkeys go, sessions rest on them or on the lack of a proof, and each membership begins anew, which
 * §5.2 and §5.3 refuse every earlier token and grant for, and joining every earlier invitation.
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

/** Fails if a passkey or a membership of the account changed since it was read. */
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

/** Access tokens carry whole seconds, so one of this second would not be older than the membership. */
const nextSecond = (milliseconds: number): number => (Math.floor(milliseconds / 1000) + 1) * 1000;

/** Takes off the lists what the proof ended. */
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
