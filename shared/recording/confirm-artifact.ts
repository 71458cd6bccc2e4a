/**
 * Confirms an upload. A file that matches its announcement is copied to the key that readers use. Its row then gets its
 * size. Any other file is removed. The upload link stays valid for an hour, but cannot change a confirmed file.
 */
import type * as z from 'zod';
import { analyseTrace, type TraceNote } from '#shared/context/trace/analyse-trace.ts';
import type { StoredFile } from '#shared/engine/files/artifacts.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import { showFile } from '#shared/ingest/show-file.ts';
import {
  ANY_CONTENT,
  type Artifact,
  artifactOfUpload,
  artifacts,
  objectKey,
  uploadKey,
} from '#shared/model/artifact.ts';
import type { Services } from '#shared/services.ts';
import type { ObjectCreated } from './artifact-wire.ts';
import { RECORDING_LIMITS } from './limits.ts';

interface UploadNote {
  readonly upload: 'refused' | 'repeated' | 'not announced';
  readonly key: string;
  readonly reason?: string;
}

/** Confirms the file. Returns the notes for the log. */
export async function confirmArtifacts(
  services: Services,
  { Records }: z.output<typeof ObjectCreated>,
): Promise<(TraceNote | UploadNote)[]> {
  const notes: (TraceNote | UploadNote)[] = [];
  for (const { s3 } of Records) notes.push(...(await confirmUpload(services, s3.object.key)));
  return notes;
}

/** Idempotent: each step checks the result of the previous one. */
async function confirmUpload(services: Services, key: string): Promise<(TraceNote | UploadNote)[]> {
  const { table, artifacts: files } = services;
  const of = artifactOfUpload(key);
  if (!of) return [];
  const artifact = await table.get(artifacts, of, { consistent: true });
  const file = await files.describe(key);
  // The run was deleted, or the file was never announced.
  if (!artifact) return drop(services, key, { upload: 'not announced' });
  if (artifact.bytes === undefined && file) {
    const reason = problemWith(artifact, file);
    if (reason !== undefined) return drop(services, key, { upload: 'refused', reason });
    if (!(await confirm(services, artifact, file))) return [];
  }
  const isAnother = file !== undefined && artifact.bytes !== undefined && file.eTag !== artifact.eTag;
  const notes = artifact.type === 'trace' && !isAnother ? [await analyseTrace(services, artifact)] : [];
  return isAnother ? drop(services, key, { upload: 'repeated' }) : [...notes, ...(await drop(services, key))];
}

async function drop(services: Services, key: string, note?: Omit<UploadNote, 'key'>): Promise<UploadNote[]> {
  await services.artifacts.remove(key);
  return note ? [{ ...note, key }] : [];
}

export function problemWith({ contentType }: Pick<Artifact, 'contentType'>, file: StoredFile): string | undefined {
  if (file.bytes > RECORDING_LIMITS.artifactBytes)
    return `has ${file.bytes} bytes, the limit is ${RECORDING_LIMITS.artifactBytes}`;
  const [announced, sent] = [mediaType(contentType), mediaType(file.contentType)];
  return announced === ANY_CONTENT || announced === sent ? undefined : `was announced as ${announced}, and is ${sent}`;
}

/** Drops parameters such as `charset`. */
const mediaType = (contentType: string): string => contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Returns false if another upload replaced this one. That upload has its own message. */
async function confirm({ table, artifacts: files }: Services, artifact: Artifact, file: StoredFile): Promise<boolean> {
  const { eTag, bytes } = file;
  const mine: Condition = { path: 'eTag', equals: eTag };
  const free: Condition = { all: [{ present: 'pk' }, { absent: 'bytes' }, { any: [{ absent: 'eTag' }, mine] }] };
  // The first of two uploads by one link is copied. The error returns the second to the queue until the first is
  // confirmed.
  const claimed = await table.update(artifacts, artifact, { set: [['eTag', eTag]] }, free);
  if (!claimed.done) throw new Error(`Another upload of ${objectKey(artifact)} is being confirmed`);
  if (!(await files.copy({ from: uploadKey(artifact), to: objectKey(artifact), eTag }))) {
    await table.update(artifacts, artifact, { remove: ['eTag'] }, { all: [mine, { absent: 'bytes' }] });
    return false;
  }
  const confirmed = await table.update(artifacts, artifact, { set: [['bytes', bytes]] }, mine);
  if (confirmed.done) await showFile({ table }, confirmed.item);
  // The run was deleted meanwhile.
  if (!confirmed.done && !confirmed.existing) await files.remove(objectKey(artifact));
  return confirmed.done;
}
