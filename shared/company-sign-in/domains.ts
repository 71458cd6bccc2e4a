/**
 * §5 Domains of email addresses that an organization has proven. A domain only shows people the way to the company
 * sign-in of the organization. It never connects or opens an account.
 */
import { invalidRequest, notFound, refuse } from '#shared/engine/errors.ts';
import { ABSENT, put, remove, removeWhen } from '#shared/engine/table/writes.ts';
import type { ReadTxtRecords } from '#shared/engine/txt-records.ts';
import {
  getDomainsSpan,
  type ProvenDomain,
  provenDomains,
  provenDomainsOfOrganization,
} from '#shared/model/sign-in/proven-domain.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { findEmailAddress, getDomain } from '#shared/organizations/create-account.ts';
import { reserveRoom } from '#shared/organizations/room-for-one.ts';
import { authorizeRead, type OrganizationRequest } from '#shared/organizations/standing.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import { dnsSilent, domainOfAnother, recordMissing, tooManyDomains } from './errors.ts';
import { readPublicProvider } from './flow.ts';
import { COMPANY_LIMITS } from './limits.ts';

/** The TXT record that proves a domain. It names the organization, so that nobody else can use it. */
export const formatRecordName = (domain: string): string => `_rundown.${domain}`;
export const formatRecordText = ({ organizationId }: Pick<ProvenDomain, 'organizationId'>): string =>
  `organization=${organizationId}`;

type DomainRequest = OrganizationRequest & { readonly domain: string };

const DOMAIN = /^([a-z0-9-]{1,63}\.){1,8}[a-z][a-z0-9-]{1,62}$/;

/** Returns the domain in lower case, or throws 400. */
function parseDomain(text: string): string {
  const domain = text.trim().toLowerCase();
  if (DOMAIN.test(domain)) return domain;
  throw invalidRequest('Enter a domain, such as example.com. Write other letters than a to z as xn--', ['domain']);
}

export async function listDomains(services: CoreServices, request: OrganizationRequest): Promise<ProvenDomain[]> {
  await authorizeRead(services, request, 'companySignIn:change');
  return readDomains(services, request);
}

const readDomains = (
  { table }: Pick<CoreServices, 'table'>,
  organization: Pick<ProvenDomain, 'organizationId'>,
): Promise<ProvenDomain[]> =>
  table.queryAll(provenDomainsOfOrganization, getDomainsSpan(organization), { consistent: true });

/** Reads the record. If it is missing, the domain is not proven any more. */
export async function checkDomain(
  services: CoreServices & { readonly readTxtRecords: ReadTxtRecords },
  { domain: text, ...request }: DomainRequest,
): Promise<void> {
  const domain = parseDomain(text);
  await authorizeRead(services, request, 'companySignIn:change');
  const texts = (await services.readTxtRecords(formatRecordName(domain))) ?? refuse(dnsSilent());
  if (texts.includes(formatRecordText(request))) return proveDomain(services, { ...request, domain }, 'by DNS');
  const isListed = (await readDomains(services, request)).some((one) => one.domain === domain);
  if (isListed) await removeDomain(services, { ...request, domain }, 'its record is missing');
  throw recordMissing(formatRecordName(domain));
}

/** `how`: for the audit record. */
export function proveDomain(
  services: CoreServices,
  { domain: text, ...request }: DomainRequest,
  how: string,
): Promise<void> {
  const domain = parseDomain(text);
  const { organizationId } = request;
  return changeOrganization(services, { ...request, action: 'companySignIn:change' }, async () => {
    const storedDomain = await services.table.get(provenDomains, { domain }, { consistent: true });
    if (storedDomain?.organizationId === organizationId) return { result: undefined };
    if (storedDomain) throw domainOfAnother();
    const room = await reserveRoom(services, {
      organizationId,
      what: 'domains',
      limit: COMPANY_LIMITS.domains,
      count: async () => (await readDomains(services, request)).length,
      refusal: tooManyDomains,
    });
    const provenDomain = { organizationId, domain, provenAt: services.now() };
    return {
      result: undefined,
      writes: [room, put(provenDomains, provenDomain, ABSENT), put(provenDomainsOfOrganization, provenDomain)],
      record: describeChange(domain, `domain proven ${how}`),
    };
  });
}

export function removeDomain(
  services: CoreServices,
  { domain: text, ...request }: DomainRequest,
  why?: string,
): Promise<void> {
  const domain = parseDomain(text);
  const { organizationId } = request;
  return changeOrganization(services, { ...request, action: 'companySignIn:change' }, async () => {
    const storedDomain = await services.table.get(provenDomains, { domain }, { consistent: true });
    if (storedDomain?.organizationId !== organizationId) throw notFound('Domain');
    return {
      result: undefined,
      writes: [
        removeWhen(provenDomains, storedDomain, { path: 'organizationId', equals: organizationId }),
        remove(provenDomainsOfOrganization, storedDomain),
      ],
      record: describeChange(domain, why === undefined ? 'domain removed' : `domain removed: ${why}`),
    };
  });
}

const describeChange = (domain: string, detail: string) =>
  ({ action: 'company sign-in changed', subject: domain, label: domain, detail }) as const;

/** The organization whose company sign-in people with this address use. `undefined` for all others, and for no address. */
export async function findCompanyByAddress(
  services: Pick<Services, 'table'>,
  text: string,
): Promise<string | undefined> {
  const address = findEmailAddress(text);
  const domain = address && (await services.table.get(provenDomains, { domain: getDomain(address) }));
  if (!domain) return undefined;
  return (await readPublicProvider(services, domain.organizationId)) && domain.organizationId;
}
