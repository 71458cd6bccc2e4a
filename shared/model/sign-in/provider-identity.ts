/**
 * §5 A person at a provider of this deployment. The identity signs in to the account that it is connected with, like a
 * passkey. Identities at the provider of one organization are other rows (`company-provider.ts`).
 */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick, toAttributes } from '#shared/engine/table/stored.ts';

/** Why an identity was connected with an account: the person did it, an invitation, or their address at a trusted domain. */
export type IdentityGround = 'person' | 'invitation' | 'domain';

export interface ProviderIdentity {
  /** See `hashIdentity`. Issuer and subject together never change and are never reused. */
  readonly identity: string;
  readonly accountId: string;
  readonly issuer: string;
  /** The name of the provider when the identity was connected. */
  readonly name: string;
  readonly ground: IdentityGround;
  /** In epoch milliseconds. */
  readonly createdAt: number;
}

export const providerIdentities: Entity<Pick<ProviderIdentity, 'identity'>, ProviderIdentity> = {
  type: 'provider identity',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [{ question: 'The account of a person at a provider of this deployment', of: { identity: 'sha256' } }],
  key: ({ identity }) => ({ pk: composeKey('IDENTITY', identity), sk: 'IDENTITY' }),
  store: toAttributes,
  load: loadAttributes,
};

type IdentityEntry = Pick<ProviderIdentity, 'accountId' | 'issuer' | 'identity'>;

/** An account has at most one identity of each issuer. The identity itself is stored once, under its hash. */
export const providerIdentitiesOfAccount: Entity<Pick<IdentityEntry, 'accountId' | 'issuer'>, IdentityEntry> = {
  type: 'provider identity, listed',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'The identities of an account at providers of this deployment' }],
  key: ({ accountId, issuer }) => ({
    pk: composeKey('ACCOUNTIDENTITIES', accountId),
    sk: composeKey('IDENTITY', issuer),
  }),
  store: pick('accountId', 'issuer', 'identity'),
  load: loadAttributes,
};

export const getAccountIdentitiesSpan = ({ accountId }: Pick<ProviderIdentity, 'accountId'>) =>
  getPrefixSpan(composeKey('ACCOUNTIDENTITIES', accountId), composePrefix('IDENTITY'));
