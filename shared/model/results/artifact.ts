/** A file that a run produced. */
import type { Correlation } from '#shared/engine/correlation.ts';
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, computeDigest } from '#shared/engine/table/keys.ts';
import { loadAttributes } from '#shared/engine/table/stored.ts';
import { deriveTestKey, extractRunId } from '#shared/model/ids.ts';
import type { OfInstance } from '#shared/model/keys.ts';
import type { Expiry } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import { getInstancePartition, removeWithInstance } from './test-record.ts';

/** For files whose type is unknown. */
export const ANY_CONTENT = 'application/octet-stream';

/** Why an uploaded file was removed. */
export type UploadRefusal = 'tooLarge' | 'otherType' | 'storageFull';

/** `correlationId`: of the request that announced the file. */
export interface Artifact extends OfInstance, Correlation {
  /** The id that the reporter assigned to the file, or an id derived from the file's properties. */
  readonly artifactId: string;
  /** The last part of both the object's key and the row's key, so each key can be derived from the other. */
  readonly objectName: string;
  readonly type: 'attachment' | 'coverage' | 'screenshot' | 'stdout' | 'trace' | 'video';
  readonly name: string;
  readonly fileName: string | null;
  readonly contentType: string;
  /** The id of the test. Absent for files of the whole instance. */
  readonly testId?: string;
  /** The index of the attempt, counted from 0. */
  readonly attempt?: number;
  /** Creation time, in epoch milliseconds. */
  readonly createdAt: number;
  /** The index of the file in the request that announced it. Absent for single files, and in rows of earlier releases. */
  readonly place?: number;
  /** The size of the file. Absent until the file has been uploaded. */
  readonly bytes?: number;
  /** The size that the client announced. Absent if its protocol announces none. */
  readonly announcedBytes?: number;
  /** Why the last upload was removed. Another upload may still be confirmed. */
  readonly refused?: UploadRefusal;
  /** The ETag of the upload that is being confirmed or was confirmed. No other upload may replace the file. */
  readonly eTag?: string;
  /** The expiry of the file, and the expiry of evidence that is derived from a trace. Both come from the run. */
  readonly expiry: Pick<Expiry, 'evidence' | 'files'>;
}

type ArtifactKey = Pick<Artifact, 'organizationId' | 'instanceId' | 'objectName'>;

export const artifacts: Entity<ArtifactKey, Artifact> & GoesWithRun = {
  type: 'artifact',
  guarded: false,
  removal: removeWithInstance('sweep'),
  patterns: [
    { question: 'The artifact of an object in the bucket', of: { objectName: 'object' } },
    { question: 'All artifacts of an instance', begins: 'ARTIFACT#' },
    { question: 'All artifacts of a test', begins: 'ARTIFACT#test' },
  ],
  key: (artifact) => ({ pk: getInstancePartition(artifact), sk: composeKey('ARTIFACT', artifact.objectName) }),
  // The expiry is stored as `endsAt` and not as a TTL, because the row must not be deleted before its file.
  store: ({ expiry: { evidence, files }, ...artifact }) => ({ ...artifact, evidenceEndsAt: evidence, endsAt: files }),
  load: (row) => {
    const { evidenceEndsAt, endsAt, ...artifact } = loadAttributes<StoredArtifact>(row);
    return { ...artifact, expiry: { evidence: evidenceEndsAt, files: endsAt } };
  },
};

interface StoredArtifact extends Omit<Artifact, 'expiry'> {
  readonly evidenceEndsAt?: number;
  readonly endsAt?: number;
}

const DIGEST_CHARACTERS = 20;
const NO_TEST = '0'.repeat(12);

/**
 * The object name of a file. Object keys contain no text from requests: ids are hashed, and the file name is stored in
 * the table. The object names of all files of a test begin with the same prefix. If a build is recorded again after its
 * run expired, its files get new names, so that the removal of expired files does not affect them.
 */
export function deriveObjectName({
  artifactId,
  testId,
  expiry,
}: Pick<Artifact, 'artifactId' | 'testId' | 'expiry'>): string {
  const testKey = testId === undefined ? NO_TEST : deriveTestKey(testId);
  const parts = expiry.files === undefined ? [artifactId] : [artifactId, String(expiry.files)];
  return testKey + computeDigest(DIGEST_CHARACTERS, ...parts);
}

export const getInstanceArtifactsSpan = (instance: OfInstance) =>
  getPrefixSpan(getInstancePartition(instance), composePrefix('ARTIFACT'));

export const getTestArtifactsSpan = (instance: OfInstance & { readonly testKey: string }) =>
  getPrefixSpan(getInstancePartition(instance), composeKey('ARTIFACT', instance.testKey));

export const getObjectKey = ({ organizationId, instanceId, objectName }: ArtifactKey): string =>
  `${organizationId}/${instanceId}/${objectName}`;

/** Returns `undefined` if the key is not that of an artifact. */
export function parseObjectKey(key: string): ArtifactKey | undefined {
  const artifact = parseArtifactKey(key.split('/'));
  return artifact && extractRunId(artifact.instanceId) ? artifact : undefined;
}

const parseArtifactKey = ([organizationId, instanceId, objectName, ...more]: readonly string[]):
  | ArtifactKey
  | undefined =>
  organizationId && instanceId && objectName && more.length === 0
    ? { organizationId, instanceId, objectName }
    : undefined;

export const UPLOADS = 'uploads';

/** Before its upload is confirmed, the link still works and may overwrite the object, so readers never get this key. */
export const getUploadKey = (artifact: ArtifactKey): string => `${UPLOADS}/${getObjectKey(artifact)}`;

/** Returns `undefined` if the key is not that of an upload. */
export function parseUploadKey(key: string): ArtifactKey | undefined {
  const [folder, ...names] = key.split('/');
  return folder === UPLOADS ? parseArtifactKey(names) : undefined;
}
