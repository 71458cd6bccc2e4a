/** A file that a run left behind. Asked for: all of an instance, with its details; those of a test; the one of an object in the bucket. */
import { beginningWith, type Entity } from '../table/entity.ts';
import { composed, digest, prefix } from '../table/keys.ts';
import { stored } from '../table/stored.ts';
import { testKeyOf } from './ids.ts';
import { instancePartition } from './test-record.ts';

type ArtifactType = 'attachment' | 'coverage' | 'screenshot' | 'stdout' | 'trace' | 'video';

export interface Artifact {
  readonly organizationId: string;
  readonly instanceId: string;
  /** The reporter's own id, or one that follows from what the file is. */
  readonly artifactId: string;
  /** The last part of the object's key and of the row's, so that one leads to the other. */
  readonly objectName: string;
  readonly type: ArtifactType;
  readonly name: string;
  readonly fileName: string | null;
  readonly contentType: string;
  /** Absent for files of the whole instance. */
  readonly testId?: string;
  /** Zero-based. */
  readonly attempt?: number;
  /** Milliseconds. */
  readonly createdAt: number;
  /** Absent until the file has arrived. */
  readonly bytes?: number;
}

type ArtifactKey = Pick<Artifact, 'organizationId' | 'instanceId' | 'objectName'>;

export const artifacts: Entity<ArtifactKey, Artifact> = {
  type: 'artifact',
  patterns: [
    { question: 'The artifact of an object in the bucket', key: 'pk = INSTANCE#org#instance, sk = ARTIFACT#object' },
    { question: 'All artifacts of an instance', key: 'pk = INSTANCE#org#instance, sk begins with ARTIFACT#' },
    { question: 'All artifacts of a test', key: 'pk = INSTANCE#org#instance, sk begins with ARTIFACT#test' },
  ],
  key: (artifact) => ({ pk: instancePartition(artifact), sk: composed('ARTIFACT', artifact.objectName) }),
  store: (artifact) => ({ ...artifact }),
  load: (row) => stored<Artifact>(row),
};

const OWN_CHARACTERS = 20;
const NO_TEST = '0'.repeat(12);

/**
 * Nothing a caller sent is in a key of the bucket: its ids are hashed, its file name stands in the table. Names of one
 * test's files begin alike.
 */
export const objectNameOf = ({ artifactId, testId }: Pick<Artifact, 'artifactId' | 'testId'>): string =>
  (testId === undefined ? NO_TEST : testKeyOf(testId)) + digest(OWN_CHARACTERS, artifactId);

export const artifactsOfInstance = (of: Pick<Artifact, 'organizationId' | 'instanceId'>) =>
  beginningWith(instancePartition(of), prefix('ARTIFACT'));

export const artifactsOfTest = (of: Pick<Artifact, 'organizationId' | 'instanceId'> & { readonly testKey: string }) =>
  beginningWith(instancePartition(of), composed('ARTIFACT', of.testKey));

export const objectKey = ({ organizationId, instanceId, objectName }: ArtifactKey): string =>
  `${organizationId}/${instanceId}/${objectName}`;

/** The artifact whose object this is; `undefined` for a key that is none of ours. */
export function artifactOfObject(key: string): ArtifactKey | undefined {
  const [organizationId, instanceId, objectName, ...more] = key.split('/');
  return organizationId && instanceId && objectName && more.length === 0
    ? { organizationId, instanceId, objectName }
    : undefined;
}
