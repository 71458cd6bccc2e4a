/** §5.1 Lists the API keys of an organization, without their values. */
import { readListedItems } from '#shared/engine/table/listed.ts';
import { type ApiKey, apiKeys, apiKeysOfOrganization, getApiKeysSpan } from '#shared/model/organizations/api-key.ts';
import type { CoreServices } from '#shared/services.ts';
import { authorizeRead, type OrganizationRequest } from './standing.ts';

export type ListedApiKey = Omit<ApiKey, 'hash'>;

export async function listApiKeys(services: CoreServices, request: OrganizationRequest): Promise<ListedApiKey[]> {
  await authorizeRead(services, request, 'apiKeys:list');
  return (await readApiKeys(services, request)).map(toListedKey);
}

/** Copies each property by name: the stored item also contains the hash of the key, which must not be listed. */
export const toListedKey = (key: ApiKey): ListedApiKey => ({
  keyId: key.keyId,
  organizationId: key.organizationId,
  label: key.label,
  level: key.level,
  lastFour: key.lastFour,
  createdAt: key.createdAt,
  createdBy: key.createdBy,
});

export const readApiKeys = (
  { table }: CoreServices,
  organization: { readonly organizationId: string },
): Promise<ApiKey[]> => readListedItems(table, apiKeysOfOrganization, getApiKeysSpan(organization), apiKeys);

/** §5.1 The audit entry of a key. The last four characters distinguish keys with the same label. */
export const makeKeyEntry = <Name extends string>(action: Name, { keyId, label, level, lastFour }: ListedApiKey) => ({
  action,
  subject: keyId,
  label,
  detail: `${label} (${level}, ...${lastFour})`,
});
