/** §5.1 A new organization API key. The value is returned once and never again. */
import { change } from '../organizations/change.ts';
import { nameFrom } from '../organizations/names.ts';
import type { Question } from '../organizations/rights.ts';
import { type ApiKey, type ApiKeyLevel, apiKeys, apiKeysOfOrganization } from '../resources/api-key.ts';
import type { Administration } from '../services.ts';
import { ABSENT, put } from '../table/writes.ts';
import { recordOf } from './list-api-keys.ts';
import { createToken, hashToken } from './token.ts';

const KEY_ID_CHARACTERS = 16;

export interface NewApiKey extends Omit<ApiKey, 'hash'> {
  /** Shown once. */
  readonly value: string;
}

export function createApiKey(
  services: Administration,
  wish: Question & { readonly label: string; readonly level: ApiKeyLevel },
): Promise<NewApiKey> {
  const { organizationId, level } = wish;
  return change(services, { ...wish, right: 'create an API key' }, () => {
    const value = createToken('apiKey');
    const keyId = services.randomId(KEY_ID_CHARACTERS);
    const label = nameFrom('The label of a key', wish.label);
    const key = { keyId, organizationId, label, level, lastFour: value.slice(-4), createdAt: services.now() };
    const stored = { ...key, hash: hashToken(value) };
    return {
      result: { ...key, value },
      writes: [put(apiKeys, stored, ABSENT), put(apiKeysOfOrganization, stored)],
      record: recordOf('API key created', key),
    };
  });
}
