/** A version of a cache: the files that a CI job stored. Access patterns: by id; all versions of a cache. */
import { type Entity, wholePartition } from '#shared/engine/table/entity.ts';
import { composed } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';

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

const partition = ({ organizationId, cache }: Pick<VersionKey, 'organizationId' | 'cache'>): string =>
  composed('CACHE', organizationId, cache);

export const cachedVersions: Entity<VersionKey, CachedVersion> = {
  type: 'cached version',
  guarded: false,
  // A cached version belongs to no run. Its row expires after some days, and a lifecycle rule of the bucket removes its
  // objects.
  removal: 'apart',
  patterns: [
    { question: 'A version of a cache', key: 'pk = CACHE#org#cache, sk = VERSION#version' },
    { question: 'All versions of a cache', key: 'pk = CACHE#org#cache' },
  ],
  key: (of) => ({ pk: partition(of), sk: composed('VERSION', of.version) }),
  store: attributesOf,
  load: stored,
};

export const versionsOfCache = (of: Pick<VersionKey, 'organizationId' | 'cache'>) => wholePartition(partition(of));

/** The folder of all cached objects. A lifecycle rule of the bucket removes the objects after some days. */
export const CACHE = 'cache';

const folderOf = ({ organizationId, cache }: Pick<VersionKey, 'organizationId' | 'cache'>): string =>
  `${CACHE}/${organizationId}/${cache}`;

/**
 * The key of the object that names the newest complete version. The command `currents cache` writes this object after
 * the objects of the version.
 */
export const referenceKey = (of: Pick<VersionKey, 'organizationId' | 'cache'>): string => `${folderOf(of)}/reference`;
export const archiveKey = (of: VersionKey): string => `${folderOf(of)}/${of.version}.zip`;
export const descriptionKey = (of: VersionKey): string => `${folderOf(of)}/${of.version}.json`;
