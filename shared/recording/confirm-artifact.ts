/**
 * Confirms the upload of a file. If the file matches its announcement, it is copied to the key from which it is read,
 * and its size is stored in its row. Otherwise, the file is deleted. The upload link stays valid for an hour, but
 * cannot change a confirmed file.
 */
import type * as z from 'zod';
import { analyzeTrace } from '#shared/context/trace/analyse-trace.ts';
import type { StoredFile } from '#shared/engine/aws/artifacts.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import type { Caps } from '#shared/fair-shares/call-slots.ts';
import { type FairShare, runWithSlot } from '#shared/fair-shares/with-slot.ts';
import { showFile } from '#shared/ingest/show-file.ts';
import {
  ANY_CONTENT,
  type Artifact,
  artifacts,
  getObjectKey,
  getUploadKey,
  parseUploadKey,
  type UploadRefusal,
} from '#shared/model/results/artifact.ts';
import type { Services } from '#shared/services.ts';
import { noteRemoved, takeRoom } from '#shared/usage/stored-bytes.ts';
import { makeObjectMessage, type ObjectCreated, type ObjectMessage } from './artifact-wire.ts';
import { RECORDING_LIMITS } from './limits.ts';

interface UploadNote {
  readonly upload: 'refused' | 'repeated' | 'not announced' | 'gone';
  readonly key: string;
  readonly reason?: string;
}

type FileServices = Services & FairShare<ObjectMessage>;

/** An analysis may take most of the time limit. Without these limits, one organization would delay all others. */
export const TRACE_CAPS: Caps = { ...RECORDING_LIMITS.traces, work: 'traces' };

/** The id of the request that announced the file. S3 does not know it. */
export async function findCauseOfUpload(
  { table }: WithTable,
  { Records: [record] }: z.output<typeof ObjectCreated>,
): Promise<string | undefined> {
  const key = record && parseUploadKey(record.s3.object.key);
  return key && (await table.get(artifacts, key))?.correlationId;
}

/** Returns notes to be logged. */
export async function confirmArtifacts(
  services: FileServices,
  { Records, rounds }: z.output<typeof ObjectCreated>,
): Promise<object[]> {
  const notes: object[] = [];
  for (const { s3 } of Records) notes.push(...(await confirmUpload(services, s3.object.key, rounds)));
  return notes;
}

/** Idempotent: the uploaded object is deleted last, so after a crash the message comes again and repeats all steps. */
async function confirmUpload(services: FileServices, key: string, rounds: number): Promise<readonly object[]> {
  const { table, artifacts: files } = services;
  const artifactKey = parseUploadKey(key);
  if (!artifactKey) return [];
  const artifact = await table.get(artifacts, artifactKey, { consistent: true });
  // Either the run was deleted, perhaps while the file was being copied, or the file was never announced.
  if (!artifact) {
    await files.remove(getObjectKey(artifactKey));
    return dropUpload(services, key, { upload: 'not announced' });
  }
  const file = await files.describe(key);
  if (!file) return artifact.bytes === undefined ? [await releaseUpload(services, artifact, key)] : [];
  const isConfirmed = artifact.bytes !== undefined;
  if (isConfirmed && file.eTag !== artifact.eTag) return dropUpload(services, key, { upload: 'repeated' });
  const problem = isConfirmed ? undefined : findUploadProblem(artifact, file);
  if (problem) return refuseUpload(services, artifact, problem);
  const confirmedArtifact = isConfirmed ? artifact : await copyUpload(services, artifact, file);
  if (confirmedArtifact === 'no room')
    return refuseUpload(services, artifact, { refusal: 'storageFull', reason: 'does not fit into the storage' });
  if (!confirmedArtifact) return [];
  await showFile(services, confirmedArtifact);
  if (confirmedArtifact.type !== 'trace') return dropUpload(services, key);
  // The file can already be read. Only its analysis may have to wait, and the uploaded object is kept until it is done.
  return runWithSlot(services, artifactKey, makeObjectMessage(key, rounds), async () => [
    await analyzeTrace(services, confirmedArtifact),
    ...(await dropUpload(services, key)),
  ]);
}

/** For an object that was deleted before it was copied. Another upload with the same link can then be confirmed. */
async function releaseUpload({ table }: Services, artifact: Artifact, key: string): Promise<UploadNote> {
  const { eTag } = artifact;
  if (eTag !== undefined) await table.update(artifacts, artifact, { remove: ['eTag'] }, requireUnconfirmed(eTag));
  return { upload: 'gone', key };
}

const requireUnconfirmed = (eTag: string): Condition => ({
  all: [{ path: 'eTag', equals: eTag }, { absent: 'bytes' }],
});

async function dropUpload(services: Services, key: string, note?: Omit<UploadNote, 'key'>): Promise<UploadNote[]> {
  await services.artifacts.remove(key);
  return note ? [{ ...note, key }] : [];
}

interface UploadProblem {
  readonly refusal: UploadRefusal;
  /** For the log. */
  readonly reason: string;
}

/** Removes the upload, and says at the file why. */
async function refuseUpload(
  services: Services,
  artifact: Artifact,
  { refusal, reason }: UploadProblem,
): Promise<UploadNote[]> {
  const isOpen: Condition = { all: [{ present: 'pk' }, { absent: 'bytes' }] };
  await services.table.update(artifacts, artifact, { set: [['refused', refusal]] }, isOpen);
  return dropUpload(services, getUploadKey(artifact), { upload: 'refused', reason });
}

export function findUploadProblem(
  { contentType, announcedBytes = RECORDING_LIMITS.artifactBytes }: Pick<Artifact, 'contentType' | 'announcedBytes'>,
  file: StoredFile,
): UploadProblem | undefined {
  const limit = Math.min(announcedBytes, RECORDING_LIMITS.artifactBytes);
  if (file.bytes > limit) return { refusal: 'tooLarge', reason: `has ${file.bytes} bytes, but the limit is ${limit}` };
  const announcedType = normalizeMediaType(contentType);
  const sentType = normalizeMediaType(file.contentType);
  if (announcedType === ANY_CONTENT || announcedType === sentType) return undefined;
  return { refusal: 'otherType', reason: `was announced as ${announcedType}, but is ${sentType}` };
}

/** Drops parameters such as `charset`. */
const normalizeMediaType = (contentType: string): string => contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Returns `undefined` if the run was deleted, or if another upload, which has its own message, replaced this one. */
async function copyUpload(
  services: Pick<Services, 'table' | 'artifacts' | 'defaultLimits'>,
  artifact: Artifact,
  file: StoredFile,
): Promise<Artifact | 'no room' | undefined> {
  const { table, artifacts: files } = services;
  const { eTag, bytes } = file;
  const isOwnUpload: Condition = { path: 'eTag', equals: eTag };
  const isUnclaimed: Condition = { any: [{ absent: 'eTag' }, isOwnUpload] };
  const isFree: Condition = { all: [{ present: 'pk' }, { absent: 'bytes' }, isUnclaimed] };
  // If a link was used for two uploads, the first one is copied. The error returns the message about the second upload
  // to the queue until the first one is confirmed.
  const claim = await table.update(artifacts, artifact, { set: [['eTag', eTag]] }, isFree);
  if (!claim.done) throw new Error(`Another upload of ${getObjectKey(artifact)} is being confirmed`);
  if (!(await takeRoom(services, artifact, bytes))) {
    await table.update(artifacts, artifact, { remove: ['eTag'] }, requireUnconfirmed(eTag));
    return 'no room';
  }
  if (!(await files.copy({ from: getUploadKey(artifact), to: getObjectKey(artifact), eTag }))) {
    await table.update(artifacts, artifact, { remove: ['eTag'] }, requireUnconfirmed(eTag));
    await noteRemoved(services, artifact, [{ ...artifact, bytes }]);
    return undefined;
  }
  const changes = { set: [['bytes', bytes]], remove: ['refused'] } as const;
  const outcome = await table.update(artifacts, artifact, changes, isOwnUpload);
  if (outcome.done) return outcome.item;
  await noteRemoved(services, artifact, [{ ...artifact, bytes }]);
  // The run was deleted while the file was being copied.
  if (!outcome.item) await files.remove(getObjectKey(artifact));
  return undefined;
}
