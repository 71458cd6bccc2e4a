/** §5.1 Creates an API key of an organization. The value of the key is returned only here and cannot be read later. */
import { formatActorName } from '#shared/access/actor.ts';
import { createToken, hashToken } from '#shared/access/token.ts';
import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { type ApiKey, type ApiKeyLevel, apiKeys, apiKeysOfOrganization } from '#shared/model/organizations/api-key.ts';
import type { CoreServices } from '#shared/services.ts';
import { changeOrganization } from './change.ts';
import { makeKeyEntry } from './list-api-keys.ts';
import { parseName } from './name-inputs.ts';
import type { OrganizationRequest } from './standing.ts';

const KEY_ID_CHARACTERS = 16;

export interface NewApiKey extends Omit<ApiKey, 'hash'> {
  /** The value of the key. Only its hash is stored. */
  readonly value: string;
}

export function createApiKey(
  services: CoreServices,
  request: OrganizationRequest & { readonly label: string; readonly level: ApiKeyLevel },
): Promise<NewApiKey> {
  const { organizationId, level } = request;
  return changeOrganization(services, { ...request, action: 'apiKeys:create' }, () => {
    const value = createToken('apiKey');
    const keyId = services.randomId(KEY_ID_CHARACTERS);
    const label = parseName('The label of a key', request.label, { member: 'label' });
    const creation = { createdAt: services.now(), createdBy: formatActorName(request.actor) };
    const key = { keyId, organizationId, label, level, lastFour: value.slice(-4), ...creation };
    const storedKey = { ...key, hash: hashToken(value) };
    return {
      result: { ...key, value },
      writes: [put(apiKeys, storedKey, ABSENT), put(apiKeysOfOrganization, storedKey)],
      record: makeKeyEntry('API key created', key),
    };
  });
}
