/**
 * §5 Lets a person in whom a provider of this deployment has signed in. Only what is known about the identity opens an
 * account. An address opens one only if it was invited, or if the operator trusts the provider with its domain.
 */
import { flowLost, wrongPerson } from '#shared/company-sign-in/errors.ts';
import { refuse } from '#shared/engine/errors.ts';
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { check, PRESENT } from '#shared/engine/table/writes.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import { providerIdentities } from '#shared/model/sign-in/provider-identity.ts';
import type { Session } from '#shared/model/sign-in/session.ts';
import { findAccount } from '#shared/organizations/create-account.ts';
import type { CoreServices } from '#shared/services.ts';
import { isChallengeUsed, markChallengeUsed } from '#shared/sign-in/challenges.ts';
import { makeSession, type NewSession } from '#shared/sign-in/sessions.ts';
import { connectByAddress, readIdentity } from './connect-identity.ts';
import { nobodyKnown } from './errors.ts';
import { joinByProvider, type Proof, provesAddress } from './join-by-provider.ts';
import { findExactAddress } from './stated-person.ts';

/** Whether the account is new, so that the person is asked for a passkey. */
export interface ProviderSignIn {
  readonly newSession: NewSession;
  readonly isNew: boolean;
}

/** `invitation`: the secret of the invitation that the person wants to accept. */
export async function signInByProvider(
  services: CoreServices,
  { invitation, ...proof }: Proof & { readonly invitation: string | undefined },
): Promise<ProviderSignIn> {
  const knownIdentity = await readIdentity(services, proof);
  if (knownIdentity) return { newSession: await startSession(services, proof), isNew: false };
  const address = findExactAddress(proof.person);
  const account = address === undefined ? undefined : await findAccount(services, address);
  if (invitation !== undefined && !account)
    return { newSession: await joinByProvider(services, { ...proof, invitation }), isNew: true };
  if (!account || !provesAddress(proof.provider, account.email)) throw nobodyKnown(proof.provider.name);
  await connectByAddress(services, proof, account);
  return { newSession: await startSession(services, proof), isNew: false };
}

/** Confirms who is in a session. Only a provider that asks for the password again can do that. */
export function confirmByProvider(
  services: CoreServices,
  { session, ...proof }: Proof & { readonly session: Session },
): Promise<NewSession> {
  return startSession(services, proof, session.accountId);
}

/** `confirms`: the account of the session in which the person proves who they are. */
function startSession(
  services: CoreServices,
  { provider, identity, challenge, browser }: Proof,
  confirms?: string,
): Promise<NewSession> {
  const { table } = services;
  return retryOptimistically('sign-in at a provider', async () => {
    const storedIdentity = (await readIdentity(services, { identity })) ?? refuse(nobodyKnown(provider.name));
    const { accountId } = storedIdentity;
    if (confirms !== undefined && confirms !== accountId) throw wrongPerson();
    const { issuer, name } = provider;
    const holder = { accountId, method: 'provider', provider: { identity, issuer, name } } as const;
    // A provider may sign people in whom it has known for days, so only a confirmed session counts as authenticated now.
    const newSession =
      confirms === undefined
        ? makeSession(services, { ...browser, ...holder, authenticatedAt: 0 })
        : makeSession(services, { ...browser, ...holder });
    const isStarted = await table.transact([
      check(providerIdentities, storedIdentity, { path: 'accountId', equals: accountId }),
      check(accounts, { accountId }, PRESENT),
      markChallengeUsed(services, challenge),
      ...newSession.writes,
    ]);
    if (isStarted) return newSession;
    if (await isChallengeUsed(services, challenge)) throw flowLost();
    return AGAIN;
  });
}
