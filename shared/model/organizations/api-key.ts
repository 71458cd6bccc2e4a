/** §5.1 An organization API key, stored under the hash of its value. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick, toAttributes } from '#shared/engine/table/stored.ts';

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
  /** The name of an actor. Absent for keys of earlier versions. */
  readonly createdBy?: string;
}

export const apiKeys: Entity<Pick<ApiKey, 'hash'>, ApiKey> = {
  type: 'API key',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [{ question: 'The API key with this value', of: { hash: 'sha256(value)' } }],
  key: ({ hash }) => ({ pk: composeKey('KEY', hash), sk: 'KEY' }),
  store: toAttributes,
  load: (row) => {
    const key = loadAttributes<Omit<ApiKey, 'level'> & { readonly level?: ApiKeyLevel }>(row);
    // §5.1 Keys created before permission levels existed have the level Read & Write.
    return { ...key, level: key.level ?? 'readWrite' };
  },
};

type ApiKeyEntry = Pick<ApiKey, 'organizationId' | 'keyId' | 'createdAt' | 'hash'>;

/** An entry in the list of an organization's API keys. It points to the key. */
export const apiKeysOfOrganization: Entity<ApiKeyEntry, ApiKeyEntry> = {
  type: 'API key, listed',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'API keys of an organization' }],
  key: ({ organizationId, keyId, createdAt }) => ({
    pk: composeKey('KEYS', organizationId),
    sk: composeKey('KEY', encodeInstant(createdAt), keyId),
  }),
  store: pick('organizationId', 'keyId', 'createdAt', 'hash'),
  load: loadAttributes,
};

export const getApiKeysSpan = ({ organizationId }: Pick<ApiKey, 'organizationId'>) =>
  getPrefixSpan(composeKey('KEYS', organizationId), composePrefix('KEY'));
