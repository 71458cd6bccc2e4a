/**
 * Replaces a former member whom the organization manages: the entry of the directory goes, and the account and the
 * identity at the provider of the company keep only the pseudonym. The identity stays, so that the person does not come
 * back as somebody new.
 */
import { planEntryRemoval, readEntriesWithAddress } from '#shared/directory/entry-rows.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { PRESENT } from '#shared/engine/table/writes.ts';
import { memberships } from '#shared/model/organizations/membership.ts';
import { companyIdentities, getIdentitiesSpan } from '#shared/model/sign-in/company-provider.ts';
import { findCompanyAccount } from '#shared/organizations/create-account.ts';
import { eraseAccount } from './erase-account.ts';
import type { SearchedPerson } from './searched-person.ts';

/** Leaves members alone. Idempotent: the account is replaced last, because it leads to the identities. */
export async function eraseCompanyPerson({ table }: WithTable, person: SearchedPerson): Promise<undefined> {
  const { organizationId, address } = person;
  const entries = await readEntriesWithAddress({ table }, { organizationId, address });
  const inactiveEntries = entries.filter(({ active }) => !active);
  await mapConcurrently(inactiveEntries, (entry) => table.transact(planEntryRemoval(entry)));
  const account = await findCompanyAccount({ table }, { organizationId, email: address });
  if (!account) return undefined;
  const key = { organizationId, accountId: account.accountId };
  if (await table.get(memberships, key, { consistent: true })) return undefined;
  const identities = await table.queryAll(companyIdentities, getIdentitiesSpan(key), { consistent: true });
  const ownIdentities = identities.filter(({ accountId }) => accountId === account.accountId);
  await mapConcurrently(ownIdentities, (identity) =>
    table.update(companyIdentities, identity, { set: [['email', person.pseudonym.address]] }, PRESENT),
  );
  await eraseAccount({ table }, account);
  return undefined;
}
