/**
 * Confirms the upload of a file. If the file matches its announcement, it is copied to the key from which it is read,
 * and its size is stored in its row. Otherwise, the file is deleted. The upload link stays valid for an hour, but
 * cannot change a confirmed file.
 */
import type * as z from 'zod';
import { analyseTrace } from '#shared/context/trace/analyse-trace.ts';
import type { StoredFile } from '#shared/engine/aws/artifacts.ts';
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
} from '#shared/model/tests/artifact.ts';
import type { Services } from '#shared/services.ts';
import { noteStored, takeRoom } from '#shared/usage/stored-bytes.ts';
import { type ObjectCreated, type ObjectMessage, objectCreated } from './artifact-wire.ts';
import { RECORDING_LIMITS } from './limits.ts';

interface UploadNote {
  readonly upload: 'refused' | 'repeated' | 'not announced' | 'gone';
  readonly key: string;
  readonly reason?: string;
}

type FileServices = Services & FairShare<ObjectMessage>;

/**
 * Concurrency limits of trace analyses. The analysis of a trace may take most of the time limit of the function.
 * Without a limit, traces of one organization would delay the traces of all others.
 */
export const TRACE_CAPS: Caps = { ...RECORDING_LIMITS.traces, work: 'traces' };

/** Returns notes to be logged. */
export async function confirmArtifacts(
  services: FileServices,
  { Records, rounds }: z.output<typeof ObjectCreated>,
): Promise<object[]> {
  const notes: object[] = [];
  for (const { s3 } of Records) notes.push(...(await confirmUpload(services, s3.object.key, rounds)));
  return notes;
}

/**
 * Confirms one upload. Idempotent. The uploaded object is deleted in the last step. After a crash before that step, the
 * message is delivered again and all steps are repeated, so no step is skipped.
 */
async function confirmUpload(services: FileServices, key: string, rounds: number): Promise<readonly object[]> {
  const { table, artifacts: files } = services;
  const of = parseUploadKey(key);
  if (!of) return [];
  const artifact = await table.get(artifacts, of, { consistent: true });
  // Either the run was deleted, perhaps while the file was being copied, or the file was never announced.
  if (!artifact) {
    await files.remove(getObjectKey(of));
    return drop(services, key, { upload: 'not announced' });
  }
  const file = await files.describe(key);
  if (!file) return artifact.bytes === undefined ? [await release(services, artifact, key)] : [];
  const isConfirmed = artifact.bytes !== undefined;
  if (isConfirmed && file.eTag !== artifact.eTag) return drop(services, key, { upload: 'repeated' });
  const problem = isConfirmed ? undefined : problemWith(artifact, file);
  if (problem) return refuseUpload(services, artifact, problem);
  const confirmed = isConfirmed ? artifact : await confirm(services, artifact, file);
  if (confirmed === 'no room')
    return refuseUpload(services, artifact, { refusal: 'storageFull', reason: 'does not fit into the storage' });
  if (!confirmed) return [];
  await showFile(services, confirmed);
  if (confirmed.type !== 'trace') return drop(services, key);
  // The file can already be read. Only its analysis may have to wait, and the uploaded object is kept until it is done.
  return runWithSlot(services, of, objectCreated(key, rounds), async () => [
    await analyseTrace(services, confirmed),
    ...(await drop(services, key)),
  ]);
}

/**
 * Handles an uploaded object that was deleted before it was copied. Removes the claim of this upload, so that another
 * upload with the same link can be confirmed.
 */
async function release({ table }: Services, artifact: Artifact, key: string): Promise<UploadNote> {
  const { eTag } = artifact;
  if (eTag !== undefined) await table.update(artifacts, artifact, { remove: ['eTag'] }, unconfirmed(eTag));
  return { upload: 'gone', key };
}

const unconfirmed = (eTag: string): Condition => ({ all: [{ path: 'eTag', equals: eTag }, { absent: 'bytes' }] });

async function drop(services: Services, key: string, note?: Omit<UploadNote, 'key'>): Promise<UploadNote[]> {
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
  return drop(services, getUploadKey(artifact), { upload: 'refused', reason });
}

export function problemWith(
  { contentType, announcedBytes = RECORDING_LIMITS.artifactBytes }: Pick<Artifact, 'contentType' | 'announcedBytes'>,
  file: StoredFile,
): UploadProblem | undefined {
  const limit = Math.min(announcedBytes, RECORDING_LIMITS.artifactBytes);
  if (file.bytes > limit) return { refusal: 'tooLarge', reason: `has ${file.bytes} bytes, but the limit is ${limit}` };
  const announced = mediaType(contentType);
  const sent = mediaType(file.contentType);
  if (announced === ANY_CONTENT || announced === sent) return undefined;
  return { refusal: 'otherType', reason: `was announced as ${announced}, but is ${sent}` };
}

/** Drops parameters such as `charset`. */
const mediaType = (contentType: string): string => contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';

/**
 * Copies the file and stores its size. Returns `undefined` if the run was deleted, or if another upload replaced this
 * one. The other upload has its own message.
 */
async function confirm(
  services: Pick<Services, 'table' | 'artifacts' | 'defaultLimits'>,
  artifact: Artifact,
  file: StoredFile,
): Promise<Artifact | 'no room' | undefined> {
  const { table, artifacts: files } = services;
  const { eTag, bytes } = file;
  const mine: Condition = { path: 'eTag', equals: eTag };
  const free: Condition = { all: [{ present: 'pk' }, { absent: 'bytes' }, { any: [{ absent: 'eTag' }, mine] }] };
  // If a link was used for two uploads, the first one is copied. The error returns the message about the second upload
  // to the queue until the first one is confirmed.
  const claimed = await table.update(artifacts, artifact, { set: [['eTag', eTag]] }, free);
  if (!claimed.done) throw new Error(`Another upload of ${getObjectKey(artifact)} is being confirmed`);
  if (!(await takeRoom(services, artifact, bytes))) {
    await table.update(artifacts, artifact, { remove: ['eTag'] }, unconfirmed(eTag));
    return 'no room';
  }
  if (!(await files.copy({ from: getUploadKey(artifact), to: getObjectKey(artifact), eTag }))) {
    await table.update(artifacts, artifact, { remove: ['eTag'] }, unconfirmed(eTag));
    await noteStored(services, artifact, -bytes);
    return undefined;
  }
  const changes = { set: [['bytes', bytes]], remove: ['refused'] } as const;
  const confirmed = await table.update(artifacts, artifact, changes, mine);
  if (confirmed.done) return confirmed.item;
  await noteStored(services, artifact, -bytes);
  // The run was deleted while the file was being copied.
  if (!confirmed.item) await files.remove(getObjectKey(artifact));
  return undefined;
}
