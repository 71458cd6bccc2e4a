/**
 * §5 How an organization signs its people in at its own identity provider: the provider, and the identities of the
 * people who have come from it. Neither is part of an archive, because both give access.
 */
import { createHash } from 'node:crypto';
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { WithCredential } from '#shared/model/credential.ts';

/** The OpenID Connect provider of an organization. `secretName` is the client secret in Parameter Store. */
export interface CompanyProvider extends WithCredential {
  /** Sessions name the provider that started them. A provider with another issuer or client gets another id. */
  readonly providerId: string;
  /** What people read on the button, such as `Acme Okta`. */
  readonly name: string;
  /** The issuer, spelled exactly as in its tokens. */
  readonly issuer: string;
  readonly clientId: string;
  /** The claim of the ID token with the names of the person's groups. If absent, groups are ignored. */
  readonly groupsClaim?: string;
  /** Whether people whom nobody has added become members when they sign in. */
  readonly admitsNew: boolean;
  /** In epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

type ProviderKey = Pick<CompanyProvider, 'organizationId'>;

export const companyProviders: Entity<ProviderKey, CompanyProvider> = {
  type: 'company provider',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [{ question: 'The identity provider of an organization' }],
  key: ({ organizationId }) => ({ pk: composeKey('PROVIDER', organizationId), sk: 'PROVIDER' }),
  store: toAttributes,
  load: loadAttributes,
};

/** A person at the provider of an organization. Issuer and subject together never change and are never reused. */
export interface CompanyIdentity {
  readonly organizationId: string;
  /** See `hashIdentity`. */
  readonly identity: string;
  readonly accountId: string;
  /** The address that the provider stated when the identity was stored. */
  readonly email: string;
  /** In epoch milliseconds. */
  readonly createdAt: number;
}

type IdentityKey = Pick<CompanyIdentity, 'organizationId' | 'identity'>;

export const companyIdentities: Entity<IdentityKey, CompanyIdentity> = {
  type: 'company identity',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [
    { question: 'The account of a person at the identity provider of an organization', of: { identity: 'sha256' } },
    { question: 'All people who have signed in at the provider of an organization', begins: 'IDENTITY#' },
  ],
  key: ({ organizationId, identity }) => ({
    pk: composeKey('IDENTITIES', organizationId),
    sk: composeKey('IDENTITY', identity),
  }),
  store: toAttributes,
  load: loadAttributes,
};

export const getIdentitiesSpan = ({ organizationId }: ProviderKey) =>
  getPrefixSpan(composeKey('IDENTITIES', organizationId), composePrefix('IDENTITY'));

/** A hash, because a subject may contain an address or any other text. */
export const hashIdentity = ({ issuer, subject }: { readonly issuer: string; readonly subject: string }): string =>
  createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex');

/** Whether the issuer is that of Microsoft for any tenant, which signs in people of every company. */
export const isSharedIssuer = (issuer: string): boolean =>
  /^https:\/\/login\.microsoftonline\.[a-z]+\/(common|organizations|consumers)(\/|$)/i.test(issuer);
