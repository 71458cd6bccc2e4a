/** §5 Connects an account with an identity at a provider of this deployment. */

import { makePerson, type Person } from '#shared/access/actor.ts';
import { flowLost } from '#shared/company-sign-in/errors.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { expectSameValues } from '#shared/engine/table/update.ts';
import { ABSENT, check, mergeChecks, PRESENT, put, update, type Write } from '#shared/engine/table/writes.ts';
import { type Account, accounts } from '#shared/model/organizations/account.ts';
import {
  type IdentityGround,
  type ProviderIdentity,
  providerIdentities,
  providerIdentitiesOfAccount,
} from '#shared/model/sign-in/provider-identity.ts';
import type { Session } from '#shared/model/sign-in/session.ts';
import { change } from '#shared/organizations/change.ts';
import { getDomain } from '#shared/organizations/create-account.ts';
import { makeAccountCheck } from '#shared/organizations/membership-rows.ts';
import { makeAccountRecords } from '#shared/organizations/records-of-account.ts';
import type { CoreServices } from '#shared/services.ts';
import { isChallengeUsed, markChallengeUsed } from '#shared/sign-in/challenges.ts';
import { listProviderIdentities } from '#shared/sign-in/provider-identities.ts';
import { type NewSession, renewSession } from '#shared/sign-in/sessions.ts';
import { alreadyConnected, connectedWithAnother, nobodyKnown, ownAccountOnly } from './errors.ts';
import type { ProvenPerson } from './flow.ts';

export const readIdentity = (
  { table }: CoreServices,
  { identity }: Pick<ProvenPerson, 'identity'>,
): Promise<ProviderIdentity | undefined> => table.get(providerIdentities, { identity }, { consistent: true });

/** The writes fail if the identity belongs to an account, or the account has an identity of this issuer. */
export function planIdentity(
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
function planConnection(
  services: CoreServices,
  proof: Pick<ProvenPerson, 'provider' | 'identity'>,
  account: Account,
  ground: IdentityGround,
): Write[] {
  const isAsRead = check(accounts, account, expectSameValues(account, 'email', 'unproven'));
  const countUpdate = update(accounts, account, { add: [['identities', 1]] }, PRESENT);
  const writes = [...planIdentity(services, proof, account, ground), countUpdate];
  return mergeChecks([makeAccountCheck(account), isAsRead], writes);
}

/**
 * Connects the account whose address the provider proves. An account whose address is unproven may have been made by a
 * stranger, who would keep their way in, so the operator proves it first.
 */
export function connectByAddress(services: CoreServices, proof: ProvenPerson, { accountId }: Account): Promise<void> {
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

interface ConnectionRequest extends Omit<ProvenPerson, 'person'> {
  readonly actor: Person;
  readonly session: Session;
}

/** Connects the account in which the person is signed in. Gives the session a new secret, as a new passkey does. */
export function connectByPerson(
  services: CoreServices,
  { actor, session, provider, identity, challenge }: ConnectionRequest,
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
