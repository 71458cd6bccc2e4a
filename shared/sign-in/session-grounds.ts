/**
 * The rows on which a session rests. They decide at each request whether it still signs somebody in, so a session whose own
 * row survived an interrupted request is dead all the same.
 */
import { type Found, type Lookup, lookup } from '#shared/engine/table/found.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import { type Check, check, PRESENT } from '#shared/engine/table/writes.ts';
import { type Account, accounts } from '#shared/model/organizations/account.ts';
import { type Passkey, passkeys } from '#shared/model/organizations/passkey.ts';
import type { Session } from '#shared/model/organizations/session.ts';

type Grounded = Pick<Session, 'accountId' | 'method' | 'passkey'>;

/** A link of the operator or a passkey signs in again after the address was proven. An invitation does not. */
const UNPROVEN: Condition = { present: 'unproven' };

export interface Grounds {
  readonly lookups: readonly Lookup<Account | Passkey>[];
  /** The account of a session that still signs somebody in. */
  readonly accountIn: (found: Found) => Account | undefined;
  /** Fail a transaction if the session does not sign anybody in any more. */
  readonly checks: readonly Check[];
}

export function groundsOf(session: Grounded): Grounds {
  const account = lookup(accounts, session);
  const keys = session.passkey === undefined ? [] : [{ hash: session.passkey }];
  const all = keys.map((key) => lookup(passkeys, key));
  return {
    lookups: [account, ...all],
    accountIn: (found) => {
      const known = found.of(account);
      const isOver = session.method === 'invitation' && known?.unproven === undefined;
      return isOver || !all.every((passkey) => found.of(passkey)) ? undefined : known;
    },
    checks: [
      check(accounts, session, session.method === 'invitation' ? UNPROVEN : PRESENT),
      ...keys.map((key) => check(passkeys, key, PRESENT)),
    ],
  };
}
