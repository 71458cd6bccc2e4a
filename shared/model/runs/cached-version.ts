/** A version of a cache: the files that a CI job stored. */
import { type Entity, getPartitionSpan } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';

interface VersionKey {
  readonly organizationId: string;
  /** The key of the cache. */
  readonly cache: string;
  readonly version: string;
}

export interface CachedVersion extends VersionKey {
  /** Creation time, in epoch milliseconds. */
  readonly createdAt: number;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

const getPartition = ({ organizationId, cache }: Pick<VersionKey, 'organizationId' | 'cache'>): string =>
  composeKey('CACHE', organizationId, cache);

export const cachedVersions: Entity<VersionKey, CachedVersion> = {
  type: 'cached version',
  guarded: false,
  // A cached version belongs to no run. Its row expires after some days, and a lifecycle rule of the bucket removes its
  // objects.
  removal: 'apart',
  patterns: [{ question: 'A version of a cache' }, { question: 'All versions of a cache', begins: '' }],
  key: (row) => ({ pk: getPartition(row), sk: composeKey('VERSION', row.version) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getCacheVersionsSpan = (key: Pick<VersionKey, 'organizationId' | 'cache'>) =>
  getPartitionSpan(getPartition(key));

/** The folder of all cached objects. A lifecycle rule of the bucket removes the objects after some days. */
export const CACHE = 'cache';

const getCacheFolder = ({ organizationId, cache }: Pick<VersionKey, 'organizationId' | 'cache'>): string =>
  `${CACHE}/${organizationId}/${cache}`;

/** Names the newest complete version. `currents cache` writes it after the objects of the version. */
export const getReferenceKey = (key: Pick<VersionKey, 'organizationId' | 'cache'>): string =>
  `${getCacheFolder(key)}/reference`;
export const getArchiveKey = (key: VersionKey): string => `${getCacheFolder(key)}/${key.version}.zip`;
export const getDescriptionKey = (key: VersionKey): string => `${getCacheFolder(key)}/${key.version}.json`;
