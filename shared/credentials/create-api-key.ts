/** §5.1 A new organization API key. The value is returned once and never again. */
import { type ApiKey, type ApiKeyLevel, apiKeys, apiKeysOfOrganization } from '../resources/api-key.ts';
import type { Administration } from '../services.ts';
import { ABSENT, put } from '../table/writes.ts';
import { createToken, hashToken } from './token.ts';

const KEY_ID_CHARACTERS = 16;

export interface NewApiKey extends Omit<ApiKey, 'hash'> {
  /** Shown once. */
  readonly value: string;
}

export async function createApiKey(
  { table, now, randomId }: Administration,
  { organizationId, label, level }: { organizationId: string; label: string; level: ApiKeyLevel },
): Promise<NewApiKey> {
  const value = createToken('apiKey');
  const keyId = randomId(KEY_ID_CHARACTERS);
  const key = { keyId, organizationId, label, level, lastFour: value.slice(-4), createdAt: now() };
  const stored = { ...key, hash: hashToken(value) };
  const written = await table.transact([put(apiKeys, stored, ABSENT), put(apiKeysOfOrganization, stored)]);
  if (!written) throw new Error('The new key met one with its value. Try again');
  return { ...key, value };
}
