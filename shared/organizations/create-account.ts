/** §5 Creates and finds accounts. An email address belongs to at most one account. */
import * as z from 'zod';
import { alreadyExists, invalidRequest } from '#shared/engine/errors.ts';
import { ABSENT, put, type Write } from '#shared/engine/table/writes.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { type Account, accounts, accountsByEmail, companyAccounts } from '#shared/model/organizations/account.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import type { CoreServices } from '#shared/services.ts';
import { parseName } from './name-inputs.ts';

const ACCOUNT_ID_CHARACTERS = 16;
const Email = z.email().max(MODEL_LIMITS.idCharacters);

/** Returns the normalized email address, or `undefined` if the text is none. */
export function findEmailAddress(email: string): string | undefined {
  const address = email.trim();
  // Checked before the case is changed, because letters such as the sign of Kelvin become ASCII letters in lower case.
  return Email.safeParse(address).success ? address.toLowerCase() : undefined;
}

/** The part of an address after the `@`. */
export const getDomain = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

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

const makeAccountFacts = ({ now, randomId }: Pick<CoreServices, 'now' | 'randomId'>, { email, name }: Person) => ({
  accountId: randomId(ACCOUNT_ID_CHARACTERS),
  email: parseEmailAddress(email),
  name: parseName('The name of an account', name),
  createdAt: now(),
  passkeys: 0,
});

/** Creates an account object, and the writes that store it. The writes fail if the address already has an account. */
export function makeAccount(
  services: Pick<CoreServices, 'now' | 'randomId'>,
  { unproven, identities, ...person }: Person & Pick<Account, 'unproven' | 'identities'>,
): { readonly account: Account; readonly writes: readonly Write[] } {
  const account: Account = {
    ...makeAccountFacts(services, person),
    ...(unproven ? { unproven } : {}),
    ...(identities ? { identities } : {}),
  };
  return { account, writes: [put(accounts, account, ABSENT), put(accountsByEmail, account, ABSENT)] };
}

/**
 * Like `makeAccount`, for an account that the organization manages. Nobody has proven the address to this service, so
 * the account can be a member of this organization only (`requireOwnAccount`), and nobody finds it by its address
 * elsewhere. The writes fail if the organization already manages an account with this address.
 */
export function makeCompanyAccount(
  services: Pick<CoreServices, 'now' | 'randomId'>,
  { organizationId, ...person }: Person & Pick<Organization, 'organizationId'>,
): { readonly account: Account & { readonly managedBy: string }; readonly writes: readonly Write[] } {
  const account = { ...makeAccountFacts(services, person), managedBy: organizationId };
  return {
    account,
    writes: [put(accounts, account, ABSENT), put(companyAccounts, { ...account, organizationId }, ABSENT)],
  };
}

/** The account with this address that the organization manages, whether or not it is a member at the moment. */
export async function findCompanyAccount(
  { table }: Pick<CoreServices, 'table'>,
  { organizationId, email }: Pick<Organization, 'organizationId'> & Pick<Person, 'email'>,
): Promise<Account | undefined> {
  const key = { organizationId, email: email.trim().toLowerCase() };
  const pointer = await table.get(companyAccounts, key, { consistent: true });
  const account = pointer && (await table.get(accounts, pointer, { consistent: true }));
  return account?.managedBy === organizationId ? account : undefined;
}

export async function findAccount({ table }: CoreServices, email: string): Promise<Account | undefined> {
  const pointer = await table.get(accountsByEmail, { email: email.trim().toLowerCase() }, { consistent: true });
  return pointer && table.get(accounts, pointer, { consistent: true });
}
