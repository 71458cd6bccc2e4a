/**
 * §5 Removes the members of a deleted organization. People who belong to no other organization lose their account with
 * everything that signs them in. Idempotent: the membership is removed last, because it leads to the person.
 */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { Time } from '#shared/engine/table/sweep.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { expectSameValues } from '#shared/engine/table/update.ts';
import { type Delete, PRESENT, remove, removeWhen, type Write } from '#shared/engine/table/writes.ts';
import { getOrganizationGrantsSpan, grantsOfAccount, removeGrant } from '#shared/model/oauth/oauth-grant.ts';
import {
  type Account,
  accounts,
  accountsByEmail,
  companyAccounts,
  getCompanyAccountsSpan,
} from '#shared/model/organizations/account.ts';
import {
  getMembershipsSpan,
  getMembersSpan,
  type Membership,
  memberships,
  membershipsOfAccount,
} from '#shared/model/organizations/membership.ts';
import { confirmationCodes } from '#shared/model/sign-in/confirmation-code.ts';
import { getPasskeysSpan, passkeys, passkeysOfAccount } from '#shared/model/sign-in/passkey.ts';
import {
  getAccountIdentitiesSpan,
  providerIdentities,
  providerIdentitiesOfAccount,
} from '#shared/model/sign-in/provider-identity.ts';
import { getSessionsSpan, sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { linkOfAccount, signInLinks } from '#shared/model/sign-in/sign-in-link.ts';
import type { CoreServices } from '#shared/services.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';

/** Removes some of the members, and returns whether there were none. */
export async function removePeople(
  services: CoreServices,
  organization: Pick<Membership, 'organizationId'>,
  time: Time,
): Promise<boolean> {
  const options = { limit: LIFECYCLE_LIMITS.membersPerPass, consistent: true };
  const { rows } = await services.table.query(memberships, getMembersSpan(organization), options);
  await mapConcurrently(rows, async ({ item }) => {
    if (time.remainingMilliseconds() < LIFECYCLE_LIMITS.deletionMarginMilliseconds) return;
    await removePerson(services, item);
  });
  if (rows.length > 0) return false;
  return removeFormerCompanyAccounts(services, organization, time);
}

/** The accounts that the organization manages and that are no members anymore, so that no membership leads to them. */
async function removeFormerCompanyAccounts(
  { table }: CoreServices,
  organization: Pick<Membership, 'organizationId'>,
  time: Time,
): Promise<boolean> {
  const options = { limit: LIFECYCLE_LIMITS.membersPerPass, consistent: true };
  const { rows } = await table.query(companyAccounts, getCompanyAccountsSpan(organization), options);
  await mapConcurrently(rows, async ({ item }) => {
    if (time.remainingMilliseconds() < LIFECYCLE_LIMITS.deletionMarginMilliseconds) return;
    const account = await table.get(accounts, item, { consistent: true });
    // An imported row may name an account that the organization does not manage.
    const isOwn = account?.managedBy === item.organizationId;
    if (isOwn && !(await removeAccount({ table }, item))) return;
    await table.writeMany([remove(companyAccounts, item)]);
  });
  return rows.length === 0;
}

async function removePerson({ table }: CoreServices, member: Membership): Promise<void> {
  const { organizationId } = member;
  const all = { consistent: true, ended: true };
  const grants = await table.queryAll(grantsOfAccount, getOrganizationGrantsSpan(member), all);
  await table.writeMany(grants.flatMap(removeGrant));
  await table.writeMany([remove(membershipsOfAccount, member)]);
  // The `leaving` mark keeps the person from joining another organization, so the query finds all other memberships.
  await table.update(accounts, member, { set: [['leaving', organizationId]] }, PRESENT);
  const otherMemberships = await table.queryAll(membershipsOfAccount, getMembershipsSpan(member), all);
  if (otherMemberships.length > 0)
    await table.update(accounts, member, { remove: ['leaving'] }, { path: 'leaving', equals: organizationId });
  else if (!(await removeAccount({ table }, member))) return;
  await table.writeMany([remove(memberships, member)]);
}

/**
 * Removes an account. The row of the account is removed last, so that an interrupted removal finds its email address
 * again. Returns false if a passkey or an identity was added in the meantime, so that the next pass removes it, too.
 */
async function removeAccount({ table }: WithTable, key: Pick<Membership, 'accountId'>): Promise<boolean> {
  const account = await table.get(accounts, key, { consistent: true });
  await removeSignIns({ table }, key);
  if (!account) return true;
  return table.transact([
    planPointerRemoval(account),
    removeWhen(accounts, account, expectSameValues(account, 'passkeys', 'identities')),
  ]);
}

/** Removes everything with which the person signs in, and ends their sessions. */
export async function removeSignIns({ table }: WithTable, key: Pick<Membership, 'accountId'>): Promise<void> {
  const all = { consistent: true, ended: true };
  const [sessionRows, keys, identities, link] = await Promise.all([
    table.queryAll(sessionsOfAccount, getSessionsSpan(key), all),
    table.queryAll(passkeysOfAccount, getPasskeysSpan(key), all),
    table.queryAll(providerIdentitiesOfAccount, getAccountIdentitiesSpan(key), all),
    table.get(linkOfAccount, key, { consistent: true }),
  ]);
  const signInDeletes: Delete[] = [
    ...sessionRows.map((session) => remove(sessions, session)),
    ...keys.map((passkey) => remove(passkeys, passkey)),
    ...identities.map((identity) => remove(providerIdentities, identity)),
    ...(link ? [remove(signInLinks, link)] : []),
  ];
  await table.writeMany(signInDeletes);
  await table.writeMany([
    ...sessionRows.map((session) => remove(sessionsOfAccount, session)),
    ...keys.map((passkey) => remove(passkeysOfAccount, passkey)),
    ...identities.map((identity) => remove(providerIdentitiesOfAccount, identity)),
    remove(linkOfAccount, key),
    remove(confirmationCodes, key),
  ]);
}

/** Somebody else may own an account with the same address as one that an organization manages. */
const planPointerRemoval = ({ accountId, email, managedBy }: Account): Write =>
  managedBy === undefined
    ? removeWhen(accountsByEmail, { email }, { path: 'accountId', equals: accountId })
    : remove(companyAccounts, { organizationId: managedBy, email });
