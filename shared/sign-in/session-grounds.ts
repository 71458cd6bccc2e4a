/**
 * The rows that a session depends on: the account, and the passkey or identity that started the session. Each request checks these
 * rows, except that polling checks them only every ten minutes. So a session is invalid without them, even if an
 * interrupted request failed to delete the row of the session.
 */
import { type Lookup, type LookupResult, makeLookup } from '#shared/engine/table/found.ts';
import { type Check, check, PRESENT } from '#shared/engine/table/writes.ts';
import { type Account, accounts } from '#shared/model/organizations/account.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import { type CompanyIdentity, companyIdentities } from '#shared/model/sign-in/company-provider.ts';
import { type Passkey, passkeys } from '#shared/model/sign-in/passkey.ts';
import { type ProviderIdentity, providerIdentities } from '#shared/model/sign-in/provider-identity.ts';
import type { CompanySession, Session } from '#shared/model/sign-in/session.ts';

export interface Grounds {
  readonly lookups: readonly Lookup<Account | Passkey | CompanyIdentity | Organization | ProviderIdentity>[];
  /** The account, or `undefined` if the session is no longer valid. */
  readonly accountIn: (found: LookupResult) => Account | undefined;
  /** Condition checks that make a transaction fail if the session is no longer valid. */
  readonly checks: readonly Check[];
}

/** What decides which rows a session depends on. */
export type DependentSession = Pick<Session, 'accountId' | 'method' | 'passkey' | 'company' | 'provider'>;

export function deriveGrounds(session: DependentSession): Grounds {
  // A session that was started by an invitation is valid only while the email address of the account is unproven.
  const needsUnproven = session.method === 'invitation';
  const account = makeLookup(accounts, session);
  const keys = session.passkey === undefined ? [] : [{ hash: session.passkey }];
  const all = keys.map((key) => makeLookup(passkeys, key));
  const identity = session.provider && makeLookup(providerIdentities, session.provider);
  const companyGrounds = session.company && deriveCompanyGrounds(session.accountId, session.company);
  return {
    lookups: [account, ...all, ...(identity ? [identity] : []), ...(companyGrounds?.lookups ?? [])],
    accountIn: (rows) => {
      const storedAccount = rows.of(account);
      const isOver = needsUnproven && storedAccount?.unproven === undefined;
      const hasIdentity = !identity || rows.of(identity)?.accountId === session.accountId;
      const hasGrounds =
        hasIdentity && all.every((passkey) => rows.of(passkey)) && (companyGrounds?.isValidIn(rows) ?? true);
      return isOver || !hasGrounds ? undefined : storedAccount;
    },
    checks: [
      check(accounts, session, needsUnproven ? { present: 'unproven' } : PRESENT),
      ...keys.map((key) => check(passkeys, key, PRESENT)),
      ...(session.provider
        ? [check(providerIdentities, session.provider, { path: 'accountId', equals: session.accountId })]
        : []),
      ...(companyGrounds?.checks ?? []),
    ],
  };
}

/** A session of company sign-in is over when its organization has another provider, or none. */
function deriveCompanyGrounds(accountId: string, company: CompanySession) {
  const identityLookup = makeLookup(companyIdentities, company);
  const organizationLookup = makeLookup(organizations, company);
  return {
    lookups: [identityLookup, organizationLookup],
    isValidIn: (rows: LookupResult): boolean =>
      rows.of(identityLookup)?.accountId === accountId &&
      rows.of(organizationLookup)?.companySignIn?.providerId === company.providerId,
    checks: [check(companyIdentities, company, { path: 'accountId', equals: accountId })],
  };
}
