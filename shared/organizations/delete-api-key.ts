/** §5.1 A deleted API key is refused from then on. Keys never expire, so only deletion revokes them. */
import { notFound } from '#shared/engine/errors.ts';
import { PRESENT, remove, removeWhen } from '#shared/engine/table/writes.ts';
import { apiKeys, apiKeysOfOrganization } from '#shared/model/organizations/api-key.ts';
import type { CoreServices } from '#shared/services.ts';
import { changeOrganization } from './change.ts';
import { type ListedApiKey, makeKeyEntry, readApiKeys, toListedKey } from './list-api-keys.ts';
import type { OrganizationRequest } from './standing.ts';

export function deleteApiKey(
  services: CoreServices,
  request: OrganizationRequest & { readonly keyId: string },
): Promise<ListedApiKey> {
  return changeOrganization(services, { ...request, action: 'apiKeys:delete' }, async () => {
    const key = (await readApiKeys(services, request)).find(({ keyId }) => keyId === request.keyId);
    if (!key) throw notFound('API key');
    return {
      result: toListedKey(key),
      writes: [removeWhen(apiKeys, key, PRESENT), remove(apiKeysOfOrganization, key)],
      record: makeKeyEntry('API key deleted', key),
    };
  });
}
