/**
 * Removes expired files and their rows. Readers ignore files as soon as they expire. Objects are deleted before their
 * rows, so that an interrupted sweep can be repeated. Files of one instance may expire at different times, because a
 * build that is recorded again adds newer files.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { TABLE_LIMITS } from '#shared/engine/table/limits.ts';
import { processDueRows, type Sweep, type Time } from '#shared/engine/table/sweep.ts';
import type { Rows } from '#shared/engine/table/table.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { type DueFiles, dueFiles } from '#shared/model/due.ts';
import {
  type Artifact,
  artifacts,
  getInstanceArtifactsSpan,
  getObjectKey,
  getUploadKey,
} from '#shared/model/results/artifact.ts';
import type { Services } from '#shared/services.ts';
import { noteRemoved } from '#shared/usage/stored-bytes.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';

export function removeExpiredFiles(services: Services, time: Time): Promise<Sweep> {
  const handle = async (due: DueFiles) => {
    const isExpired = ({ expiry: { files } }: Artifact) => files !== undefined && files * 1000 <= services.now();
    if (await removeFiles(services, due, { ...time, isGone: isExpired }))
      await services.table.writeMany([remove(dueFiles, due)]);
  };
  return processDueRows(services, time, dueFiles, handle);
}

/** Removes the files of an instance for which `isGone` returns true. Returns false if the time runs out. */
export async function removeFiles(
  { table, artifacts: files }: Services,
  instance: Pick<Artifact, 'organizationId' | 'instanceId'>,
  { isGone, ...time }: Time & { readonly isGone: (file: Artifact) => boolean },
): Promise<boolean> {
  const span = getInstanceArtifactsSpan(instance);
  let after: string | undefined;
  do {
    if (time.remainingMilliseconds() < LIFECYCLE_LIMITS.deletionMarginMilliseconds) return false;
    const options = { limit: TABLE_LIMITS.sweepPage, consistent: true, ended: true, after };
    const page: Rows<Artifact> = await table.query(artifacts, span, options);
    const filesToRemove = page.rows.map(({ item }) => item).filter(isGone);
    const keys = filesToRemove.flatMap((file) => [getObjectKey(file), getUploadKey(file)]);
    await mapConcurrently(keys, (key) => files.remove(key));
    await table.writeMany(filesToRemove.map((file) => remove(artifacts, file)));
    await noteRemoved({ table }, instance, filesToRemove);
    after = page.lastRead;
  } while (after !== undefined);
  return true;
}
