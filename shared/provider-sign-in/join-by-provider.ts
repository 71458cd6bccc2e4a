/** §5 Lets an invited person join by their identity at a provider. */

import { makePerson } from '#shared/access/actor.ts';
import { findName } from '#shared/company-sign-in/claims.ts';
import { flowLost } from '#shared/company-sign-in/errors.ts';
import { refuse } from '#shared/engine/errors.ts';
import { accountsByEmail } from '#shared/model/organizations/account.ts';
import { type DeploymentProvider, GITHUB_URL } from '#shared/model/sign-in/deployment-provider.ts';
import { change } from '#shared/organizations/change.ts';
import { getDomain, makeAccount } from '#shared/organizations/create-account.ts';
import { invitationNotFound } from '#shared/organizations/errors.ts';
import { findOpenInvitation, planJoin } from '#shared/organizations/join-organization.ts';
import type { CoreServices } from '#shared/services.ts';
import { isChallengeUsed, markChallengeUsed } from '#shared/sign-in/challenges.ts';
import { signInToJoin } from '#shared/sign-in/errors.ts';
import { makeSession, type NewSession, type SignInBrowser } from '#shared/sign-in/sessions.ts';
import { planIdentity } from './connect-identity.ts';
import { invitationForAnother } from './errors.ts';
import type { ProvenPerson } from './flow.ts';
import { findExactAddress } from './stated-person.ts';

export type Proof = ProvenPerson & { readonly browser: SignInBrowser };

/**
 * Makes an account for an invited person who has none. The address counts as proven only if the provider is known to have
 * asked its owner: otherwise somebody could take the address of a person who comes later.
 */
export async function joinByProvider(
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
    name: findName(person.name, email),
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

/** The operator trusts an OpenID provider with the domains in `trustedDomains`, and nobody with others. */
export const provesAddress = ({ trustedDomains }: DeploymentProvider, address: string): boolean =>
  trustedDomains.includes(getDomain(address));
