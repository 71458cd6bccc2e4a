/** The ids of files that clients announce without one. */
import { computeDigest } from '#shared/engine/table/keys.ts';
import { type Artifact, deriveObjectName } from '#shared/model/results/artifact.ts';

const ARTIFACT_ID_CHARACTERS = 32;

/** The id of a file for which the client sends no id. Repeated announcements of the file get the same id. */
export const deriveArtifactId = (...parts: readonly string[]): string =>
  computeDigest(ARTIFACT_ID_CHARACTERS, ...parts);

export const addObjectName = (announcement: Omit<Artifact, 'objectName'>): Artifact => ({
  ...announcement,
  objectName: deriveObjectName(announcement),
});
