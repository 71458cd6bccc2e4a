/** §5 The account of a person, who may be a member of several organizations. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick, toAttributes } from '#shared/engine/table/stored.ts';

/** The invitation that created an account, or the import of an organization. */
export interface Origin {
  readonly organizationId: string;
  /** The name of the actor who sent the invitation, as in audit records. Absent for an import. */
  readonly invitedBy?: string;
  /** Time of the invitation or import, in epoch milliseconds. */
  readonly at: number;
}

export interface Account {
  readonly accountId: string;
  /** The email address in lower case. Unique among the accounts that people own, and among those of each organization. */
  readonly email: string;
  readonly name: string;
  /** Creation time, in epoch milliseconds. */
  readonly createdAt: number;
  readonly passkeys: number;
  /** The number of identities at providers of this deployment. Absent for none. */
  readonly identities?: number;
  /** How the account was created. Absent once the person has proven that they own the email address. */
  readonly unproven?: Origin;
  /**
   * The id of the deleted organization whose removal may remove the account, too. Set only while the removal looks for
   * other memberships. While it is set, the account cannot join an organization.
   */
  readonly leaving?: string;
  /**
   * The id of the organization whose company sign-in or directory created the account. Such an account can be a member
   * of this organization only, and is found by `companyAccounts` instead of `accountsByEmail`. Absent for an account that
   * its person owns.
   */
  readonly managedBy?: string;
}

export const accounts: Entity<Pick<Account, 'accountId'>, Account> = {
  type: 'account',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'An account by id' }],
  key: ({ accountId }) => ({ pk: composeKey('ACCOUNT', accountId), sk: 'ACCOUNT' }),
  store: toAttributes,
  load: loadAttributes,
};

/** A pointer from an email address to its account. It also ensures that each address has only one account. */
export const accountsByEmail: Entity<Pick<Account, 'email'>, Pick<Account, 'email' | 'accountId'>> = {
  type: 'account, by address',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'The account with an email address' }],
  key: ({ email }) => ({ pk: composeKey('EMAIL', email), sk: 'EMAIL' }),
  store: pick('email', 'accountId'),
  load: loadAttributes,
};

interface CompanyAccount {
  /** The organization that manages the account. */
  readonly organizationId: string;
  /** The email address in lower case. */
  readonly email: string;
  readonly accountId: string;
}

/**
 * A pointer from an email address to the account that an organization manages. It also ensures that each organization
 * manages only one account with this address. The same address may have other accounts: one in each other organization,
 * and one that its person owns.
 */
export const companyAccounts: Entity<Pick<CompanyAccount, 'organizationId' | 'email'>, CompanyAccount> = {
  type: 'company account, by address',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'The account with an email address that an organization manages' }],
  key: ({ organizationId, email }) => ({
    pk: composeKey('COMPANYACCOUNTS', organizationId),
    sk: composeKey('EMAIL', email),
  }),
  store: pick('organizationId', 'email', 'accountId'),
  load: loadAttributes,
};

export const getCompanyAccountsSpan = ({ organizationId }: Pick<CompanyAccount, 'organizationId'>) =>
  getPrefixSpan(composeKey('COMPANYACCOUNTS', organizationId), composePrefix('EMAIL'));
