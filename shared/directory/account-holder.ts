/** §5 Finds the account of a person of a directory, or makes one. */

import type { Write } from '#shared/engine/table/writes.ts';
import type { DirectoryEntry } from '#shared/model/directory/directory-entry.ts';
import { type Account, accounts, accountsByEmail } from '#shared/model/organizations/account.ts';
import { type Membership, memberships } from '#shared/model/organizations/membership.ts';
import { findCompanyAccount, makeCompanyAccount } from '#shared/organizations/create-account.ts';
import type { CoreServices } from '#shared/services.ts';
import { findPersonName, type UserAttributes } from './user-attributes.ts';
import { findAddress } from './user-emails.ts';

/** Whose account a person of the directory has. */
export interface Holder {
  readonly account: Account;
  readonly membership: Membership | undefined;
  /** The writes that create the account. Empty if it exists. */
  readonly writes: readonly Write[];
}

/**
 * The account that the organization manages, if there is one. Otherwise the own account of a person who has joined the
 * organization before. Otherwise a new account, whether or not somebody elsewhere has one with this address.
 */
export async function findHolder(
  services: CoreServices,
  organizationId: string,
  attributes: UserAttributes,
): Promise<Holder> {
  const { table } = services;
  const email = findAddress(attributes);
  const [managedAccount, pointer] = await Promise.all([
    findCompanyAccount(services, { organizationId, email }),
    table.get(accountsByEmail, { email }, { consistent: true }),
  ]);
  const ownAccount = pointer && (await table.get(accounts, pointer, { consistent: true }));
  const candidates = [managedAccount, ownAccount].filter((account) => account !== undefined);
  const memberKeys = candidates.map(({ accountId }) => ({ organizationId, accountId }));
  const members = await table.getMany(memberships, memberKeys, { consistent: true });
  const index = members.findIndex((membership) => membership !== undefined);
  const member = candidates[index];
  if (member) return { account: member, membership: members[index], writes: [] };
  if (managedAccount) return { account: managedAccount, membership: undefined, writes: [] };
  const newAccount = makeCompanyAccount(services, { organizationId, email, name: findPersonName(attributes) });
  return { ...newAccount, membership: undefined };
}

/** The account may have been removed, for example when its person asked to be forgotten. */
export async function readHolder(
  services: CoreServices,
  { entry, membership }: { readonly entry: DirectoryEntry; readonly membership: Membership | undefined },
  attributes: UserAttributes,
): Promise<Holder> {
  const account = await services.table.get(accounts, entry, { consistent: true });
  return account ? { account, membership, writes: [] } : findHolder(services, entry.organizationId, attributes);
}
