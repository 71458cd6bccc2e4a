/** §5.1 A key ends only when it is deleted, and then at once. */
import { type ApiKey, apiKeys, apiKeysOfOrganization } from '../resources/api-key.ts';
import type { Administration } from '../services.ts';
import { remove } from '../table/writes.ts';
import { listApiKeys } from './list-api-keys.ts';

/** The key that was deleted; `undefined` where the organization has none with this id. */
export async function deleteApiKey(
  services: Administration,
  { organizationId, keyId }: { organizationId: string; keyId: string },
): Promise<ApiKey | undefined> {
  const key = (await listApiKeys(services, { organizationId })).find((one) => one.keyId === keyId);
  if (!key) return undefined;
  const deleted = await services.table.transact([remove(apiKeys, key), remove(apiKeysOfOrganization, key)]);
  if (!deleted) throw new Error('The key was being changed at this moment. Try again');
  return key;
}
