/** Announcing a file: its row is written, and the reporter gets a link to put the bytes to. */
import * as z from 'zod';
import { notFound, refuse } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { type Artifact, artifacts, objectKey, objectNameOf } from '../resources/artifact.ts';
import { partsOfRecord, runOfInstance } from '../resources/ids.ts';
import { instances } from '../resources/instance.ts';
import { id } from '../resources/names.ts';
import { testRecords } from '../resources/test-record.ts';
import type { Services } from '../services.ts';
import { digest } from '../table/keys.ts';
import { ABSENT } from '../table/writes.ts';

const fileName = z.string().transform((name) => name.slice(0, LIMITS.fileNameCharacters).toWellFormed());
export const contentType = z
  .string()
  .regex(/^[\w.+-]+\/[\w.+-]+(;.*)?$/)
  .max(LIMITS.idCharacters)
  .catch('application/octet-stream');

export const ArtifactType = z
  .enum(['attachment', 'coverage', 'screenshot', 'stdout', 'trace', 'video'])
  .catch('attachment');

export const TestArtifactBody = z.object({
  type: ArtifactType,
  name: fileName,
  filename: fileName.nullish(),
  artifactId: id,
  attemptId: z.int().nonnegative().catch(0),
  contentType,
});

export const InstanceArtifactBody = z.object({ type: ArtifactType, name: fileName, contentType });

export const ArtifactAnswer = z.object({ uploadUrl: z.string() });

export async function registerTestArtifact(
  services: Services,
  {
    organizationId,
    recordId,
    body,
  }: { organizationId: string; recordId: string; body: z.output<typeof TestArtifactBody> },
): Promise<z.input<typeof ArtifactAnswer>> {
  const parts = partsOfRecord(recordId) ?? refuse(notFound('Test record'));
  const record = await services.table.get(testRecords, { organizationId, ...parts }, { consistent: true });
  if (!record) throw notFound('Test record');
  return registerArtifact(services, {
    organizationId,
    instanceId: record.instanceId,
    artifactId: body.artifactId,
    type: body.type,
    name: body.name,
    fileName: body.filename ?? null,
    contentType: body.contentType,
    testId: record.testId,
    attempt: body.attemptId,
    createdAt: services.now(),
  });
}

export async function registerInstanceArtifact(
  services: Services,
  {
    organizationId,
    instanceId,
    body,
  }: { organizationId: string; instanceId: string; body: z.output<typeof InstanceArtifactBody> },
): Promise<z.input<typeof ArtifactAnswer>> {
  const runId = runOfInstance(instanceId) ?? refuse(notFound('Instance'));
  const instance = await services.table.get(instances, { organizationId, runId, instanceId }, { consistent: true });
  if (!instance) throw notFound('Instance');
  return registerArtifact(services, {
    organizationId,
    instanceId,
    artifactId: artifactIdOf(body.type, body.name),
    type: body.type,
    name: body.name,
    fileName: null,
    contentType: body.contentType,
    createdAt: services.now(),
  });
}

const ARTIFACT_ID_CHARACTERS = 32;

/** For files without an id of their own: the same file announced again is the same artifact. */
export const artifactIdOf = (...parts: readonly string[]): string => digest(ARTIFACT_ID_CHARACTERS, ...parts);

/** An announcement that is repeated must not take back that the file has arrived. */
async function registerArtifact({ table, artifacts: files }: Services, announced: Omit<Artifact, 'objectName'>) {
  const artifact = { ...announced, objectName: objectNameOf(announced) };
  await table.put(artifacts, artifact, ABSENT);
  return { uploadUrl: await files.uploadUrl(objectKey(artifact)) };
}
