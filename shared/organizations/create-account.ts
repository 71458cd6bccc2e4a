/** §5 Creates and finds accounts. An email address belongs to at most one account. */
import * as z from 'zod';
import { alreadyExists, invalidRequest } from '#shared/engine/errors.ts';
import { ABSENT, put, type Write } from '#shared/engine/table/writes.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { type Account, accounts, accountsByEmail } from '#shared/model/organizations/account.ts';
import type { CoreServices } from '#shared/services.ts';
import { parseName } from './name-inputs.ts';

const ACCOUNT_ID_CHARACTERS = 16;
const Email = z.email().max(MODEL_LIMITS.idCharacters);

/** Returns the normalized email address, or `undefined` if the text is none. */
export function findEmailAddress(email: string): string | undefined {
  const address = email.trim().toLowerCase();
  return Email.safeParse(address).success ? address : undefined;
}

/** Returns the normalized email address, or throws 400. */
export function parseEmailAddress(email: string): string {
  const address = findEmailAddress(email);
  if (address === undefined)
    throw invalidRequest(`${email} is not a valid email address. Enter one such as ada@example.com`, ['email']);
  return address;
}

interface Person {
  readonly email: string;
  readonly name: string;
}

export async function createAccount(services: CoreServices, person: Person): Promise<Account> {
  const { account, writes } = makeAccount(services, person);
  if (!(await services.table.transact(writes)))
    throw alreadyExists(`An account with the address ${account.email}`, 'Use it, or enter another address');
  return account;
}

/** Creates an account object, and the writes that store it. The writes fail if the address already has an account. */
export function makeAccount(
  { now, randomId }: Pick<CoreServices, 'now' | 'randomId'>,
  { email, name, unproven }: Person & Pick<Account, 'unproven'>,
): { readonly account: Account; readonly writes: readonly Write[] } {
  const account = {
    accountId: randomId(ACCOUNT_ID_CHARACTERS),
    email: parseEmailAddress(email),
    name: parseName('The name of an account', name),
    createdAt: now(),
    passkeys: 0,
    ...(unproven ? { unproven } : {}),
  };
  return { account, writes: [put(accounts, account, ABSENT), put(accountsByEmail, account, ABSENT)] };
}

export async function findAccount({ table }: CoreServices, email: string): Promise<Account | undefined> {
  const pointer = await table.get(accountsByEmail, { email: email.trim().toLowerCase() }, { consistent: true });
  return pointer && table.get(accounts, pointer, { consistent: true });
}
