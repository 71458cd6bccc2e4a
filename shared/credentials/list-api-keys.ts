/** §5.1 The API keys of an organization, without their values. */
import { type ApiKey, apiKeys, apiKeysOfOrganization, apiKeysSpan } from '../resources/api-key.ts';
import type { Administration } from '../services.ts';

export async function listApiKeys({ table }: Administration, of: { organizationId: string }): Promise<ApiKey[]> {
  const pointers = await table.queryAll(apiKeysOfOrganization, apiKeysSpan(of), { consistent: true });
  const keys = await table.getMany(apiKeys, pointers, { consistent: true });
  return keys.flatMap((key) => key ?? []);
}
