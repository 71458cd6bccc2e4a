/** Finds accounts by their addresses, and addresses by their account ids. */

import { makePerson, type Person, parseAccountId } from '#shared/access/actor.ts';
import { ownerOnly } from '#shared/access/errors.ts';
import { type Account, accounts } from '#shared/model/organizations/account.ts';
import { memberships } from '#shared/model/organizations/membership.ts';
import { findAccount, findCompanyAccount } from '#shared/organizations/create-account.ts';
import type { CoreServices } from '#shared/services.ts';
import type { CommandContext } from './command.ts';
import { UsageError } from './terminal/usage-error.ts';

export async function requireAccount(services: CoreServices, email: string): Promise<Account> {
  const account = await findAccount(services, email);
  if (account) return account;
  throw new UsageError(
    `No account has the email address ${email}. Check the address, or run "accounts create" to create an account`,
  );
}

/** Members whose account the organization manages have no account of their own. */
export async function requireMemberAccount(
  services: CoreServices,
  { organizationId, email }: { readonly organizationId: string; readonly email: string },
): Promise<Account> {
  const managedAccount = await findCompanyAccount(services, { organizationId, email });
  const membership =
    managedAccount &&
    (await services.table.get(memberships, { ...managedAccount, organizationId }, { consistent: true }));
  return managedAccount && membership ? managedAccount : requireAccount(services, email);
}

/** Throws 403 if --as names another person. */
export async function requirePerson({ services, actor }: CommandContext, email: string): Promise<Person> {
  const account = await requireAccount(services, email);
  if (actor.kind === 'person' && actor.accountId !== account.accountId) throw ownerOnly();
  return makePerson(account);
}

/** The lookup replaces account ids and actor names with addresses. It returns other names unchanged. */
export async function makeAddressLookup(
  { table }: CoreServices,
  names: readonly string[],
): Promise<(name: string) => string> {
  const idOf = (name: string) => parseAccountId(name) ?? name;
  const foundAccounts = await table.getMany(
    accounts,
    [...new Set(names.map(idOf))].map((accountId) => ({ accountId })),
    { consistent: true },
  );
  const addresses = new Map(foundAccounts.flatMap((account) => (account ? [[account.accountId, account.email]] : [])));
  return (name) => addresses.get(idOf(name)) ?? name;
}
