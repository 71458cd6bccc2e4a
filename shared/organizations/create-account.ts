/** §5 Creates and finds accounts. An e-mail address belongs to one account. */
import * as z from 'zod';
import { alreadyExists, invalidRequest } from '#shared/engine/errors.ts';
import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { type Account, accounts, accountsByEmail } from '#shared/model/account.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { CoreServices } from '#shared/services.ts';
import { nameFrom } from './name-inputs.ts';

const ACCOUNT_ID_CHARACTERS = 16;
const Email = z.email().max(MODEL_LIMITS.idCharacters);

/** Returns the address in its stored form, or throws 400. */
export function addressFrom(email: string): string {
  const address = email.trim().toLowerCase();
  if (!Email.safeParse(address).success) throw invalidRequest(`${email} is not a valid e-mail address`);
  return address;
}

export async function createAccount(
  { table, now, randomId }: CoreServices,
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
  if (!written) throw alreadyExists(`An account with the address ${address}`);
  return account;
}

export async function findAccount({ table }: CoreServices, email: string): Promise<Account | undefined> {
  const found = await table.get(accountsByEmail, { email: email.trim().toLowerCase() }, { consistent: true });
  return found && table.get(accounts, found, { consistent: true });
}
