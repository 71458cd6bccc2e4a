/** §5.1 A new organization API key. The value is returned once and never again. */
import { type ApiKey, type ApiKeyLevel, apiKeys } from '../resources/api-key.ts';
import type { Services } from '../services.ts';
import { createToken, hashToken } from './token.ts';

const KEY_ID_CHARACTERS = 16;

export interface NewApiKey extends Omit<ApiKey, 'hash'> {
  /** Shown once. */
  readonly value: string;
}

export async function createApiKey(
  { table, now, randomId }: Pick<Services, 'table' | 'now' | 'randomId'>,
  { organizationId, label, level }: { organizationId: string; label: string; level: ApiKeyLevel },
): Promise<NewApiKey> {
  const value = createToken('apiKey');
  const keyId = randomId(KEY_ID_CHARACTERS);
  const key = { keyId, organizationId, label, level, lastFour: value.slice(-4), createdAt: now() };
  await table.put(apiKeys, { ...key, hash: hashToken(value) });
  return { ...key, value };
}
