/** §5.1 A key ends only when it is deleted, and then at once. */
import { notFound } from '../errors.ts';
import { change } from '../organizations/change.ts';
import type { Question } from '../organizations/rights.ts';
import { apiKeys, apiKeysOfOrganization } from '../resources/api-key.ts';
import type { Administration } from '../services.ts';
import { PRESENT, remove, removeWhen } from '../table/writes.ts';
import { keysOf, type ListedApiKey, listedKey, recordOf } from './list-api-keys.ts';

/** The key that was deleted. */
export function deleteApiKey(
  services: Administration,
  of: Question & { readonly keyId: string },
): Promise<ListedApiKey> {
  return change(services, { ...of, right: 'delete an API key' }, async () => {
    const key = (await keysOf(services, of)).find(({ keyId }) => keyId === of.keyId);
    if (!key) throw notFound('API key');
    return {
      result: listedKey(key),
      writes: [removeWhen(apiKeys, key, PRESENT), remove(apiKeysOfOrganization, key)],
      record: recordOf('API key deleted', key),
    };
  });
}
