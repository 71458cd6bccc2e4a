/** §5 Connects an account with the identity that a person has at the provider of the organization. */

import type { Person } from '#shared/access/actor.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { ABSENT, type Put, put, type Write } from '#shared/engine/table/writes.ts';
import { type CompanyIdentity, companyIdentities } from '#shared/model/sign-in/company-provider.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import type { CoreServices } from '#shared/services.ts';
import { markChallengeUsed } from '#shared/sign-in/challenges.ts';
import { findAddress } from './claims.ts';
import { identityTaken } from './errors.ts';
import type { ProvenIdentity } from './flow.ts';

/** Connects an account that the person owns with their identity at the provider. */
export function connectIdentity(
  services: CoreServices,
  { provider, identity, claims, challenge, actor }: ProvenIdentity & { readonly actor: Person },
): Promise<void> {
  const { organizationId } = provider;
  const request = { organizationId, actor, action: 'companySignIn:connect' } as const;
  return changeOrganization(services, request, async ({ membership }) => {
    const { accountId } = membership ?? refuse(notFound('Membership'));
    const key = { organizationId, identity };
    const knownIdentity = await services.table.get(companyIdentities, key, { consistent: true });
    if (knownIdentity && knownIdentity.accountId !== accountId) throw identityTaken();
    const writes: Write[] = [markChallengeUsed(services, challenge)];
    if (!knownIdentity) writes.push(planIdentity(services, { provider, identity, claims, accountId }));
    return {
      result: undefined,
      writes,
      record: { action: 'identity connected', subject: accountId, detail: `at ${provider.name}` },
    };
  });
}

/** The identity of somebody whom the provider has proven, and the account that it opens. */
type OpenedAccount = Pick<ProvenIdentity, 'provider' | 'identity' | 'claims'> & Pick<CompanyIdentity, 'accountId'>;

/** Stores a new identity. The transaction fails if somebody has connected it meanwhile. */
export function planIdentity(
  { now }: Pick<CoreServices, 'now'>,
  { provider, identity, claims, accountId }: OpenedAccount,
): Put {
  const row: CompanyIdentity = {
    organizationId: provider.organizationId,
    identity,
    accountId,
    email: findAddress(claims) ?? '',
    createdAt: now(),
  };
  return put(companyIdentities, row, ABSENT);
}
