/** A file that a run left behind. Asked for: all of an instance, with its details. The bytes are in S3 under a key of ours. */
import type { Entity } from '../table/entity.ts';
import { composed, digest } from '../table/keys.ts';
import { stored } from '../table/stored.ts';
import { instancePartition } from './test-record.ts';

type ArtifactType = 'attachment' | 'coverage' | 'screenshot' | 'stdout' | 'trace' | 'video';

export interface Artifact {
  readonly organizationId: string;
  readonly instanceId: string;
  /** The reporter's own id, or one that follows from what the file is. */
  readonly artifactId: string;
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
}

export const artifacts: Entity<Pick<Artifact, 'organizationId' | 'instanceId' | 'artifactId'>, Artifact> = {
  type: 'artifact',
  patterns: [{ question: 'All artifacts of an instance', key: 'pk = INSTANCE#org#instance, sk begins with ARTIFACT#' }],
  key: (artifact) => ({ pk: instancePartition(artifact), sk: composed('ARTIFACT', artifact.artifactId) }),
  store: (artifact) => ({ ...artifact }),
  load: (row) => stored<Artifact>(row),
};

const OBJECT_NAME_CHARACTERS = 32;

/** Nothing a caller sent is in a key: its ids are hashed, its file name stands in the table. */
export const objectKey = ({
  organizationId,
  instanceId,
  artifactId,
}: Pick<Artifact, 'organizationId' | 'instanceId' | 'artifactId'>) =>
  `${organizationId}/${instanceId}/${digest(OBJECT_NAME_CHARACTERS, artifactId)}`;
