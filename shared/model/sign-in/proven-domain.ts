/** §5 A domain of email addresses that an organization has proven, and that leads people to its company sign-in. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';

export interface ProvenDomain {
  readonly organizationId: string;
  /** In lower case, without the last dot. */
  readonly domain: string;
  /** In epoch milliseconds. */
  readonly provenAt: number;
}

/** One for each domain, so that it leads to one organization only. */
export const provenDomains: Entity<Pick<ProvenDomain, 'domain'>, ProvenDomain> = {
  type: 'proven domain',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'The organization that has proven a domain' }],
  key: ({ domain }) => ({ pk: composeKey('DOMAIN', domain), sk: 'DOMAIN' }),
  store: toAttributes,
  load: loadAttributes,
};

export const provenDomainsOfOrganization: Entity<Pick<ProvenDomain, 'organizationId' | 'domain'>, ProvenDomain> = {
  type: 'proven domain, listed',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'The domains that an organization has proven' }],
  key: ({ organizationId, domain }) => ({
    pk: composeKey('DOMAINS', organizationId),
    sk: composeKey('DOMAIN', domain),
  }),
  store: toAttributes,
  load: loadAttributes,
};

export const getDomainsSpan = ({ organizationId }: Pick<ProvenDomain, 'organizationId'>) =>
  getPrefixSpan(composeKey('DOMAINS', organizationId), composePrefix('DOMAIN'));
