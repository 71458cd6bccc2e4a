/** §5 The identities with which a person signs in at a provider of this deployment: listed, and disconnected. */
import type { Person } from '#shared/access/actor.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { readListedItems } from '#shared/engine/table/listed.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import {
  type Check,
  check,
  mergeChecks,
  PRESENT,
  removeWhen,
  update,
  type Write,
} from '#shared/engine/table/writes.ts';
import { type Account, accounts } from '#shared/model/organizations/account.ts';
import { canConfirm, type DeploymentProvider } from '#shared/model/sign-in/deployment-provider.ts';
import {
  getAccountIdentitiesSpan,
  type ProviderIdentity,
  providerIdentities,
  providerIdentitiesOfAccount,
} from '#shared/model/sign-in/provider-identity.ts';
import type { Session } from '#shared/model/sign-in/session.ts';
import { change } from '#shared/organizations/change.ts';
import { makeAccountRecords } from '#shared/organizations/records-of-account.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import { lastWayIn } from './errors.ts';
import { endSessions, type NewSession, renewSession } from './sessions.ts';

export const listProviderIdentities = (
  { table }: WithTable,
  account: Pick<ProviderIdentity, 'accountId'>,
): Promise<ProviderIdentity[]> =>
  readListedItems(table, providerIdentitiesOfAccount, getAccountIdentitiesSpan(account), providerIdentities);

/** The writes fail if somebody else has ended the identity in the meantime. */
export const planIdentityRemoval = (identity: ProviderIdentity): Write[] => [
  removeWhen(providerIdentities, identity, { path: 'accountId', equals: identity.accountId }),
  removeWhen(providerIdentitiesOfAccount, identity, { path: 'identity', equals: identity.identity }),
];

/** The provider with which the person can prove who they are now. */
export const findProvingProvider = (
  { signInProviders }: Pick<Services, 'signInProviders'>,
  identities: readonly Pick<ProviderIdentity, 'issuer'>[],
): DeploymentProvider | undefined =>
  signInProviders.find(
    (provider) => canConfirm(provider) && identities.some(({ issuer }) => issuer === provider.issuer),
  );

/**
 * Ends every session that was started with the identity, and gives the actor's session a new secret, as `removePasskey`
 * does. Returns this session, or `undefined` if it was ended as well. The last way in stays, because nobody loses an
 * identity as they lose a device.
 */
export async function disconnectIdentity(
  services: CoreServices & Pick<Services, 'signInProviders'>,
  { actor, session, identity }: { readonly actor: Person; readonly session: Session; readonly identity: string },
): Promise<NewSession | undefined> {
  const currentSession = await change(services, { actor, action: 'accounts:disconnectIdentity' }, async () => {
    const account = (await services.table.get(accounts, actor, { consistent: true })) ?? refuse(notFound('Account'));
    const all = await listProviderIdentities(services, actor);
    const endedIdentity = all.find((one) => one.identity === identity) ?? refuse(notFound('Identity'));
    const otherWay = findOtherWay(services, account, all, endedIdentity) ?? refuse(lastWayIn(endedIdentity.name));
    const isOwn = session.provider?.identity === identity;
    const renewedSession = isOwn ? undefined : await renewSession(services, session);
    const writes = [
      ...planIdentityRemoval(endedIdentity),
      update(accounts, account, { add: [['identities', -1]] }, PRESENT),
      ...(renewedSession?.writes ?? []),
    ];
    return {
      result: renewedSession,
      writes: mergeChecks([...(renewedSession?.checks ?? []), otherWay], writes),
      record: await makeAccountRecords(services, actor, {
        action: 'identity ended',
        detail: `at ${endedIdentity.name}, by the person`,
      }),
    };
  });
  await endSessions(services, actor, ({ provider }) => provider?.identity === identity);
  return currentSession;
}

/** A condition that holds as long as the person can sign in without the identity. `undefined` if they cannot. */
function findOtherWay(
  { signInProviders }: Pick<Services, 'signInProviders'>,
  account: Account,
  all: readonly ProviderIdentity[],
  { identity }: ProviderIdentity,
): Check | undefined {
  if (account.passkeys > 0) return check(accounts, account, { path: 'passkeys', equals: account.passkeys });
  const other = all.find(
    (one) => one.identity !== identity && signInProviders.some(({ issuer }) => issuer === one.issuer),
  );
  return other && check(providerIdentities, other, { path: 'accountId', equals: account.accountId });
}
