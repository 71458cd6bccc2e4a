/** §5 A person, in as many organizations as they are a member of. Asked for: by id; by e-mail address. */
import type { Entity } from '../table/entity.ts';
import { composed } from '../table/keys.ts';
import { stored } from '../table/stored.ts';

export interface Account {
  readonly accountId: string;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
  /** Milliseconds. */
  readonly createdAt: number;
}

export const accounts: Entity<Pick<Account, 'accountId'>, Account> = {
  type: 'account',
  patterns: [{ question: 'An account by id', key: 'pk = ACCOUNT#account, sk = ACCOUNT' }],
  key: ({ accountId }) => ({ pk: composed('ACCOUNT', accountId), sk: 'ACCOUNT' }),
  store: (account) => ({ ...account }),
  load: (row) => stored<Account>(row),
};

type Addressed = Pick<Account, 'email' | 'accountId'>;

/** A pointer that also keeps an address to one account. */
export const accountsByEmail: Entity<Pick<Account, 'email'>, Addressed> = {
  type: 'account, by address',
  patterns: [{ question: 'The account with an e-mail address', key: 'pk = EMAIL#email, sk = EMAIL' }],
  key: ({ email }) => ({ pk: composed('EMAIL', email), sk: 'EMAIL' }),
  store: ({ email, accountId }) => ({ email, accountId }),
  load: (row) => stored<Addressed>(row),
};
