/** §5 The account of a person, who may be a member of several organizations. */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
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
  /** The email address in lower case. */
  readonly email: string;
  readonly name: string;
  /** Creation time, in epoch milliseconds. */
  readonly createdAt: number;
  readonly passkeys: number;
  /** How the account was created. Absent once the person has proven that they own the email address. */
  readonly unproven?: Origin;
  /**
   * The id of the deleted organization whose removal may remove the account, too. Set only while the removal looks for
   * other memberships. While it is set, the account cannot join an organization.
   */
  readonly leaving?: string;
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
