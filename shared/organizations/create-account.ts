/** §5 A new account. An e-mail address belongs to one. */
import * as z from 'zod';
import { alreadyThere, invalidRequest } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { type Account, accounts, accountsByEmail } from '../resources/account.ts';
import type { Administration } from '../services.ts';
import { ABSENT, put } from '../table/writes.ts';
import { nameFrom } from './names.ts';

const ACCOUNT_ID_CHARACTERS = 16;
const Email = z.email().max(LIMITS.idCharacters);

/** As it is stored and compared, or 400. */
export function addressFrom(email: string): string {
  const address = email.trim().toLowerCase();
  if (!Email.safeParse(address).success) throw invalidRequest(`${email} is no e-mail address`);
  return address;
}

export async function createAccount(
  { table, now, randomId }: Administration,
  { email, name }: { email: string; name: string },
): Promise<Account> {
  const address = addressFrom(email);
  const account = {
    accountId: randomId(ACCOUNT_ID_CHARACTERS),
    email: address,
    name: nameFrom('The name of an account', name),
    createdAt: now(),
  };
  const written = await table.transact([put(accounts, account, ABSENT), put(accountsByEmail, account, ABSENT)]);
  if (!written) throw alreadyThere(`An account with the address ${address}`);
  return account;
}

export async function findAccount({ table }: Administration, email: string): Promise<Account | undefined> {
  const found = await table.get(accountsByEmail, { email: email.trim().toLowerCase() }, { consistent: true });
  return found && table.get(accounts, found, { consistent: true });
}
