/**
 * §5 Removes the members of a deleted organization. People who belong to no other organization lose their account with
 * everything that signs them in. Idempotent: the membership goes last, because a person is found by it.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { type Delete, remove, removeWhen } from '#shared/engine/table/writes.ts';
import { accounts, accountsByEmail } from '#shared/model/organizations/account.ts';
import {
  type Membership,
  memberships,
  membershipsOfAccount,
  membershipsSpan,
  membersSpan,
} from '#shared/model/organizations/membership.ts';
import { grantsOfAccount, grantsOfOrganizationSpan, removeGrant } from '#shared/model/organizations/oauth-grant.ts';
import { passkeys, passkeysOfAccount, passkeysSpan } from '#shared/model/organizations/passkey.ts';
import { sessions, sessionsOfAccount, sessionsSpan } from '#shared/model/organizations/session.ts';
import { linkOfAccount, signInLinks } from '#shared/model/organizations/sign-in-link.ts';
import type { CoreServices } from '#shared/services.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';

type Organization = Pick<Membership, 'organizationId'>;

/** Removes some of the members, and returns whether there were none. */
export async function removePeople(
  services: CoreServices,
  organization: Organization,
  time: { readonly remainingMilliseconds: () => number },
): Promise<boolean> {
  const options = { limit: LIFECYCLE_LIMITS.membersPerPass, consistent: true };
  const { rows } = await services.table.query(memberships, membersSpan(organization), options);
  await mapConcurrently(rows, async ({ item }) => {
    if (time.remainingMilliseconds() < LIFECYCLE_LIMITS.deletionMarginMilliseconds) return;
    await removePerson(services, item);
  });
  return rows.length === 0;
}

async function removePerson({ table }: CoreServices, member: Membership): Promise<void> {
  const all = { consistent: true, ended: true };
  const given = await table.queryAll(grantsOfAccount, grantsOfOrganizationSpan(member), all);
  await table.writeMany(given.flatMap(removeGrant));
  const belongsTo = await table.queryAll(membershipsOfAccount, membershipsSpan(member), all);
  const isLast = belongsTo.every(({ organizationId }) => organizationId === member.organizationId);
  if (isLast) await removeAccount({ table }, member);
  await table.writeMany([remove(membershipsOfAccount, member)]);
  await table.writeMany([remove(memberships, member)]);
}

/** The account itself goes last, so that an interrupted removal finds its address again. */
async function removeAccount(
  { table }: Pick<CoreServices, 'table'>,
  key: Pick<Membership, 'accountId'>,
): Promise<void> {
  const all = { consistent: true, ended: true };
  const [signedIn, keys, link, account] = await Promise.all([
    table.queryAll(sessionsOfAccount, sessionsSpan(key), all),
    table.queryAll(passkeysOfAccount, passkeysSpan(key), all),
    table.get(linkOfAccount, key, { consistent: true }),
    table.get(accounts, key, { consistent: true }),
  ]);
  const leadTo: Delete[] = [
    ...signedIn.map((session) => remove(sessions, session)),
    ...keys.map((passkey) => remove(passkeys, passkey)),
    ...(link ? [remove(signInLinks, link)] : []),
  ];
  await table.writeMany(leadTo);
  await table.writeMany([
    ...signedIn.map((session) => remove(sessionsOfAccount, session)),
    ...keys.map((passkey) => remove(passkeysOfAccount, passkey)),
    remove(linkOfAccount, key),
  ]);
  if (!account) return;
  const own = { path: 'accountId', equals: account.accountId } as const;
  await table.transact([removeWhen(accountsByEmail, account, own), remove(accounts, account)]);
}
