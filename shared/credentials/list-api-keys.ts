/** §5.1 The API keys of an organization, without their values. */
import { mayLook, type Question } from '../organizations/rights.ts';
import { type ApiKey, apiKeys, apiKeysOfOrganization, apiKeysSpan } from '../resources/api-key.ts';
import type { Administration } from '../services.ts';

export type ListedApiKey = Omit<ApiKey, 'hash'>;

/** Oldest first. */
export async function listApiKeys(services: Administration, question: Question): Promise<ListedApiKey[]> {
  await mayLook(services, question, 'list API keys');
  return (await keysOf(services, question)).map(listedKey);
}

/** An item from the table has its hash in its key, too. */
export const listedKey = ({ keyId, organizationId, label, level, lastFour, createdAt }: ApiKey): ListedApiKey => ({
  keyId,
  organizationId,
  label,
  level,
  lastFour,
  createdAt,
});

export async function keysOf({ table }: Administration, of: { organizationId: string }): Promise<ApiKey[]> {
  const pointers = await table.queryAll(apiKeysOfOrganization, apiKeysSpan(of), { consistent: true });
  const keys = await table.getMany(apiKeys, pointers, { consistent: true });
  return keys.flatMap((key) => key ?? []);
}

/** §5.1 Labels are for audit records. The last four characters tell two of one label apart. */
export const recordOf = (action: string, { keyId, label, level, lastFour }: ListedApiKey) => ({
  action,
  subject: keyId,
  detail: `${label} (${level}, ...${lastFour})`,
});
