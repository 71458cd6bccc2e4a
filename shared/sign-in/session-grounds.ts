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
  const proofs = listProofs(session);
  return {
    lookups: [account, ...proofs.flatMap(({ lookups }) => lookups)],
    accountIn: (rows) => {
      const storedAccount = rows.of(account);
      const isOver = needsUnproven && storedAccount?.unproven === undefined;
      return isOver || !proofs.every(({ isValidIn }) => isValidIn(rows)) ? undefined : storedAccount;
    },
    checks: [
      check(accounts, session, needsUnproven ? { present: 'unproven' } : PRESENT),
      ...proofs.flatMap(({ checks }) => checks),
    ],
  };
}

/** What the person signed in with, as long as it exists. */
interface Proof extends Pick<Grounds, 'lookups' | 'checks'> {
  readonly isValidIn: (rows: LookupResult) => boolean;
}

function listProofs({ accountId, passkey, provider, company }: DependentSession): Proof[] {
  const proofs: Proof[] = [];
  if (passkey !== undefined) proofs.push(makePasskeyProof(passkey));
  if (provider) proofs.push(makeProviderProof(accountId, provider));
  if (company) proofs.push(makeCompanyProof(accountId, company));
  return proofs;
}

function makePasskeyProof(hash: string): Proof {
  const lookup = makeLookup(passkeys, { hash });
  return {
    lookups: [lookup],
    isValidIn: (rows) => rows.of(lookup) !== undefined,
    checks: [check(passkeys, { hash }, PRESENT)],
  };
}

function makeProviderProof(accountId: string, identity: NonNullable<Session['provider']>): Proof {
  const lookup = makeLookup(providerIdentities, identity);
  return {
    lookups: [lookup],
    isValidIn: (rows) => rows.of(lookup)?.accountId === accountId,
    checks: [check(providerIdentities, identity, { path: 'accountId', equals: accountId })],
  };
}

/** A session of company sign-in is over when its organization has another provider, or none. */
function makeCompanyProof(accountId: string, company: CompanySession): Proof {
  const identityLookup = makeLookup(companyIdentities, company);
  const organizationLookup = makeLookup(organizations, company);
  return {
    lookups: [identityLookup, organizationLookup],
    isValidIn: (rows) =>
      rows.of(identityLookup)?.accountId === accountId &&
      rows.of(organizationLookup)?.companySignIn?.providerId === company.providerId,
    checks: [check(companyIdentities, company, { path: 'accountId', equals: accountId })],
  };
}
