/**
 * §5 Lets a person in whom a provider of this deployment has signed in. Only what is known about the identity opens an
 * account. An address opens one only if it was invited, or if the operator trusts the provider with its domain.
 */
import { makePerson, type Person } from '#shared/access/actor.ts';
import { flowLost, wrongPerson } from '#shared/company-sign-in/errors.ts';
import { COMPANY_LIMITS } from '#shared/company-sign-in/limits.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { expectSameValues } from '#shared/engine/table/update.ts';
import { ABSENT, check, mergeChecks, PRESENT, put, update, type Write } from '#shared/engine/table/writes.ts';
import { type Account, accounts, accountsByEmail } from '#shared/model/organizations/account.ts';
import { type DeploymentProvider, GITHUB_URL } from '#shared/model/sign-in/deployment-provider.ts';
import {
  type IdentityGround,
  type ProviderIdentity,
  providerIdentities,
  providerIdentitiesOfAccount,
} from '#shared/model/sign-in/provider-identity.ts';
import type { Session } from '#shared/model/sign-in/session.ts';
import { change } from '#shared/organizations/change.ts';
import { findAccount, getDomain, makeAccount } from '#shared/organizations/create-account.ts';
import { invitationNotFound } from '#shared/organizations/errors.ts';
import { findOpenInvitation, planJoin } from '#shared/organizations/join-organization.ts';
import { makeAccountCheck } from '#shared/organizations/membership-rows.ts';
import { makeAccountRecords } from '#shared/organizations/records-of-account.ts';
import type { CoreServices } from '#shared/services.ts';
import { isChallengeUsed, markChallengeUsed } from '#shared/sign-in/challenges.ts';
import { signInToJoin } from '#shared/sign-in/errors.ts';
import { listProviderIdentities } from '#shared/sign-in/provider-identities.ts';
import { makeSession, type NewSession, renewSession, type SignInBrowser } from '#shared/sign-in/sessions.ts';
import { alreadyConnected, connectedWithAnother, invitationForAnother, nobodyKnown, ownAccountOnly } from './errors.ts';
import type { ProvenPerson } from './flow.ts';
import { findExactAddress } from './stated-person.ts';

type Proof = ProvenPerson & { readonly browser: SignInBrowser };

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

const readIdentity = (
  { table }: CoreServices,
  { identity }: Pick<ProvenPerson, 'identity'>,
): Promise<ProviderIdentity | undefined> => table.get(providerIdentities, { identity }, { consistent: true });

/** The operator trusts an OpenID provider with the domains in `trustedDomains`, and nobody with others. */
const provesAddress = ({ trustedDomains }: DeploymentProvider, address: string): boolean =>
  trustedDomains.includes(getDomain(address));

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
    const { writes, ...newSession } = makeProviderSession(
      services,
      { provider, identity, accountId, browser },
      confirms,
    );
    const isStarted = await table.transact([
      check(providerIdentities, storedIdentity, { path: 'accountId', equals: accountId }),
      check(accounts, { accountId }, PRESENT),
      markChallengeUsed(services, challenge),
      ...writes,
    ]);
    if (isStarted) return { ...newSession, writes };
    if (await isChallengeUsed(services, challenge)) throw flowLost();
    return AGAIN;
  });
}

/** A provider may sign people in whom it has known for days, so only a confirmed session counts as authenticated now. */
function makeProviderSession(
  services: CoreServices,
  {
    provider,
    identity,
    accountId,
    browser,
  }: Pick<Proof, 'provider' | 'identity' | 'browser'> & Pick<Account, 'accountId'>,
  confirms: string | undefined,
): NewSession {
  const { issuer, name } = provider;
  return makeSession(services, {
    ...browser,
    accountId,
    method: 'provider',
    provider: { identity, issuer, name },
    ...(confirms === undefined ? { authenticatedAt: 0 } : {}),
  });
}

/** The writes fail if the identity belongs to an account, or the account has an identity of this issuer. */
function planIdentity(
  { now }: Pick<CoreServices, 'now'>,
  { provider, identity }: Pick<ProvenPerson, 'provider' | 'identity'>,
  { accountId }: Pick<Account, 'accountId'>,
  ground: IdentityGround,
): Write[] {
  const { issuer, name } = provider;
  const newIdentity = { identity, accountId, issuer, name, ground, createdAt: now() };
  return [put(providerIdentities, newIdentity, ABSENT), put(providerIdentitiesOfAccount, newIdentity, ABSENT)];
}

/** The count in the account makes its removal and its erasure start again, so that no identity outlives it. */
const planConnection = (
  services: CoreServices,
  proof: Pick<ProvenPerson, 'provider' | 'identity'>,
  account: Account,
  ground: IdentityGround,
): Write[] =>
  mergeChecks(
    [makeAccountCheck(account), check(accounts, account, expectSameValues(account, 'email', 'unproven'))],
    [
      ...planIdentity(services, proof, account, ground),
      update(accounts, account, { add: [['identities', 1]] }, PRESENT),
    ],
  );

/**
 * Makes an account for an invited person who has none. The address counts as proven only if the provider is known to have
 * asked its owner: otherwise somebody could take the address of a person who comes later.
 */
async function joinByProvider(
  services: CoreServices,
  { invitation: secret, ...proof }: Proof & { readonly invitation: string },
): Promise<NewSession> {
  const { provider, identity, person, challenge, browser } = proof;
  const { issuer, name } = provider;
  const { email, organizationId, invitedBy } =
    (await findOpenInvitation(services, secret))?.invitation ?? refuse(invitationNotFound());
  if (findExactAddress(person) !== email) throw invitationForAnother(name);
  const isProven = issuer === GITHUB_URL || provesAddress(provider, email);
  const unproven = isProven ? undefined : { organizationId, invitedBy, at: services.now() };
  const { account, writes } = makeAccount(services, {
    email,
    name: chooseName(person, email),
    unproven,
    identities: 1,
  });
  return change(services, { actor: makePerson(account), action: 'organizations:join' }, async () => {
    const open = (await findOpenInvitation(services, secret)) ?? refuse(invitationNotFound());
    if (await isChallengeUsed(services, challenge)) throw flowLost();
    if (await services.table.get(accountsByEmail, { email }, { consistent: true })) throw signInToJoin();
    const holder = { accountId: account.accountId, method: 'provider', provider: { identity, issuer, name } } as const;
    const newSession = makeSession(services, { ...browser, ...holder });
    const joinPlan = await planJoin(services, open, account);
    return {
      result: newSession,
      writes: [
        ...writes,
        ...joinPlan.writes,
        ...planIdentity(services, proof, account, 'invitation'),
        markChallengeUsed(services, challenge),
        ...newSession.writes,
      ],
      record: { ...joinPlan.record, detail: `${joinPlan.record.detail}, by ${name}` },
    };
  });
}

/** Without a name that can be shown, the part of the address before the `@`. */
function chooseName({ name }: ProvenPerson['person'], email: string): string {
  const visibleName = makeVisibleLine(name ?? '').trim();
  return takeFirstCharacters(visibleName || email.slice(0, email.lastIndexOf('@')), COMPANY_LIMITS.nameCharacters);
}

/**
 * Connects the account whose address the provider proves. An account whose address is unproven may have been made by a
 * stranger, who would keep their way in, so the operator proves it first.
 */
function connectByAddress(services: CoreServices, proof: Proof, { accountId }: Account): Promise<void> {
  const { provider, identity } = proof;
  const { issuer, name } = provider;
  return change(services, { actor: makePerson({ accountId }), action: 'accounts:connectIdentity' }, async () => {
    const account = await services.table.get(accounts, { accountId }, { consistent: true });
    if (!account || account.unproven) throw nobodyKnown(name);
    const all = await listProviderIdentities(services, account);
    if (all.some((one) => one.issuer === issuer)) throw nobodyKnown(name);
    if (await readIdentity(services, { identity })) return { result: undefined };
    return {
      result: undefined,
      writes: planConnection(services, proof, account, 'domain'),
      record: await makeAccountRecords(services, account, {
        action: 'identity connected',
        detail: `at ${name}, which proves addresses at ${getDomain(account.email)}`,
      }),
    };
  });
}

/** Connects the account in which the person is signed in. Gives the session a new secret, as a new passkey does. */
export function connectByPerson(
  services: CoreServices,
  {
    actor,
    session,
    provider,
    identity,
    challenge,
  }: Omit<ProvenPerson, 'person'> & { readonly actor: Person; readonly session: Session },
): Promise<NewSession> {
  const { issuer, name } = provider;
  return change(services, { actor, action: 'accounts:connectIdentity' }, async () => {
    const account = (await services.table.get(accounts, actor, { consistent: true })) ?? refuse(notFound('Account'));
    if (account.managedBy !== undefined) throw ownAccountOnly();
    if (await isChallengeUsed(services, challenge)) throw flowLost();
    const [knownIdentity, all] = await Promise.all([
      readIdentity(services, { identity }),
      listProviderIdentities(services, account),
    ]);
    if (knownIdentity && knownIdentity.accountId !== account.accountId) throw connectedWithAnother(name);
    if (!knownIdentity && all.some((one) => one.issuer === issuer)) throw alreadyConnected(name);
    const { checks, writes, ...renewedSession } = await renewSession(services, session);
    const connection = knownIdentity ? [] : planConnection(services, { provider, identity }, account, 'person');
    return {
      result: { ...renewedSession, writes },
      writes: mergeChecks(checks, [...connection, markChallengeUsed(services, challenge), ...writes]),
      record: knownIdentity
        ? []
        : await makeAccountRecords(services, account, { action: 'identity connected', detail: `at ${name}` }),
    };
  });
}
