/** What rows of several commands have in common, and whom a command is about. */
import { forThemselvesOnly } from '#shared/errors.ts';
import { type Person, person } from '#shared/organizations/actor.ts';
import { findAccount } from '#shared/organizations/create-account.ts';
import { type Account, accounts } from '#shared/resources/account.ts';
import type { Administration } from '#shared/services.ts';
import type { Context } from './command.ts';
import { UsageError } from './usage.ts';

export const timeOf = (milliseconds: number | undefined): string =>
  milliseconds === undefined ? '' : new Date(milliseconds).toISOString();

export async function accountWith(services: Administration, email: string): Promise<Account> {
  const account = await findAccount(services, email);
  if (account) return account;
  throw new UsageError(`Nobody has the address ${email}. "accounts create" makes an account for somebody`);
}

/** Who does for themselves what nobody can do for somebody else: whoever acts as another person may not. */
export async function themselves({ services, actor }: Context, email: string): Promise<Person> {
  const account = await accountWith(services, email);
  if (actor.kind === 'person' && actor.accountId !== account.accountId) throw forThemselvesOnly();
  return person(account);
}

/** E-mail addresses in place of the account ids among these; anything else stays as it is. */
export async function addressesOf({ table }: Administration, ids: readonly string[]): Promise<(id: string) => string> {
  const found = await table.getMany(
    accounts,
    [...new Set(ids)].map((accountId) => ({ accountId })),
    { consistent: true },
  );
  const addresses = new Map(found.flatMap((account) => (account ? [[account.accountId, account.email]] : [])));
  return (id) => addresses.get(id) ?? id;
}
