/** §5.1 An organization API key, stored under the hash of its value. */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, instantKey, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, pick, stored } from '#shared/engine/table/stored.ts';

export type ApiKeyLevel = 'readOnly' | 'readWrite';

export interface ApiKey {
  /** SHA-256 of the value, in hex. */
  readonly hash: string;
  readonly keyId: string;
  readonly organizationId: string;
  readonly label: string;
  readonly level: ApiKeyLevel;
  readonly lastFour: string;
  /** Creation time, in epoch milliseconds. */
  readonly createdAt: number;
}

export const apiKeys: Entity<Pick<ApiKey, 'hash'>, ApiKey> = {
  type: 'API key',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [{ question: 'The API key with this value', key: 'pk = KEY#sha256(value), sk = KEY' }],
  key: ({ hash }) => ({ pk: composed('KEY', hash), sk: 'KEY' }),
  store: attributesOf,
  load: (row) => {
    const key = stored<Omit<ApiKey, 'level'> & { readonly level?: ApiKeyLevel }>(row);
    // §5.1 Keys created before permission levels existed have the level Read & Write.
    return { ...key, level: key.level ?? 'readWrite' };
  },
};

type Listed = Pick<ApiKey, 'organizationId' | 'keyId' | 'createdAt' | 'hash'>;

/** An entry in the list of an organization's API keys. It points to the key. */
export const apiKeysOfOrganization: Entity<Listed, Listed> = {
  type: 'API key, listed',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'API keys of an organization', key: 'pk = KEYS#org, sk = KEY#createdAt#key' }],
  key: ({ organizationId, keyId, createdAt }) => ({
    pk: composed('KEYS', organizationId),
    sk: composed('KEY', instantKey(createdAt), keyId),
  }),
  store: pick('organizationId', 'keyId', 'createdAt', 'hash'),
  load: stored,
};

export const apiKeysSpan = ({ organizationId }: Pick<ApiKey, 'organizationId'>) =>
  beginningWith(composed('KEYS', organizationId), prefix('KEY'));
