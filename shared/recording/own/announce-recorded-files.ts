/** Announces the files of a machine of our own reporters. All requests may be repeated. */
import type * as z from 'zod';
import { announceFiles } from '#shared/ingest/show-file.ts';
import { findInstancesOfTests, makeNamedSource } from '#shared/ingest/sources.ts';
import { deriveInstanceId } from '#shared/model/ids.ts';
import { type Artifact, getUploadKey } from '#shared/model/results/artifact.ts';
import { haveEnded } from '#shared/model/runs/expiry.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { addObjectName, deriveArtifactId } from '#shared/recording/make-artifact.ts';
import { noteOrigin } from '#shared/recording/own-build.ts';
import type { Services } from '#shared/services.ts';
import { hasRoomInRows, makeRoomLookups } from '#shared/usage/stored-bytes.ts';
import type { FileLinks, FilesBody, RecordedFile } from './recording-wire.ts';
import { findStartedMachine, MACHINE_LIMITS, type RunRequest } from './started-machine.ts';

/** Returns a presigned PUT URL or a reason per file. Equal content under one name in an attempt is one file. */
export async function announceRecordedFiles(
  services: Services,
  { organizationId, runId, body: { machineId, process, files }, origin }: RunRequest<FilesBody>,
): Promise<z.input<typeof FileLinks>> {
  const key = { organizationId, runId, machineId, process };
  const { run, targets, found } = await findStartedMachine(services, key, files, makeRoomLookups(key));
  await noteOrigin(services, run, origin);
  const isRoomLeft = hasRoomInRows(found, key, services);
  const isKnown = (file: RecordedFile) => targets.instanceOf(deriveInstanceId({ runId, ...file })) !== undefined;
  const hasExpired = haveEnded(run.expiry.files, services.now());
  const findRefusal = (file: RecordedFile): z.input<typeof FileLinks>['files'][number]['reason'] => {
    if (hasExpired) return 'expired';
    if (!isRoomLeft) return 'storageFull';
    if (!isKnown(file)) return 'unknownSpec';
    return file.bytes > MACHINE_LIMITS.fileBytes ? 'tooLarge' : null;
  };
  const source = makeNamedSource(machineId);
  const instanceOf = await findInstancesOfTests(services, run, source, files, targets.instanceOf);
  const candidates = files.map((file, place) => {
    const artifact = makeArtifact(services, run, { file, place }, instanceOf(file));
    return { artifact, refusal: findRefusal(file) };
  });
  const acceptedFiles = candidates.flatMap(({ artifact, refusal }) => (refusal === null ? [artifact] : []));
  const announcedFiles = await announceFiles(services, acceptedFiles, run);
  const storedKeys = new Set(announcedFiles.filter(({ bytes }) => bytes !== undefined).map(getObjectPath));
  const links = candidates.map(async ({ artifact, refusal }) => {
    const reason = refusal ?? (storedKeys.has(getObjectPath(artifact)) ? 'stored' : null);
    if (reason) return { uploadUrl: null, reason };
    return { uploadUrl: await services.artifacts.uploadUrl(getUploadKey(artifact), artifact.announcedBytes), reason };
  });
  return { files: await Promise.all(links) };
}

const getObjectPath = ({ instanceId, objectName }: Artifact): string => `${instanceId}/${objectName}`;

function makeArtifact(
  { now }: Services,
  { organizationId, expiry }: Run,
  { file, place }: { readonly file: RecordedFile; readonly place: number },
  instanceId: string,
): Artifact {
  const { type, name, contentType, sha256, bytes: announcedBytes } = file;
  const testId = file.testId ?? undefined;
  const attempt = file.attempt ?? undefined;
  const fileName = file.fileName ?? null;
  const attemptText = String(attempt ?? '');
  const artifactId = deriveArtifactId('recording', sha256, name, fileName ?? '', testId ?? '', attemptText);
  return addObjectName({
    organizationId,
    instanceId,
    artifactId,
    testId,
    attempt,
    type,
    name,
    fileName,
    contentType,
    announcedBytes,
    place,
    createdAt: now(),
    expiry,
  });
}
