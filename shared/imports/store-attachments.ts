/**
 * Stores the attachments of the tests of an import. They are processed like files that reporters upload, so traces among
 * them are analyzed, too.
 */

import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { ApiError } from '#shared/engine/errors.ts';
import { findTargets } from '#shared/ingest/execution-of.ts';
import { announceFiles } from '#shared/ingest/show-file.ts';
import { findInstancesOfTests, type Source } from '#shared/ingest/sources.ts';
import { type Artifact, deriveObjectName, getUploadKey } from '#shared/model/results/artifact.ts';
import { haveEnded } from '#shared/model/runs/expiry.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { contentType as contentTypeOf } from '#shared/recording/artifact-wire.ts';
import { deriveArtifactId } from '#shared/recording/make-artifact.ts';
import { detectFileType } from '#shared/reports/attached-file.ts';
import type { ReportedFile, ReportWarning } from '#shared/reports/report.ts';
import { Warnings } from '#shared/reports/warnings.ts';
import type { Services } from '#shared/services.ts';
import { hasRoom } from '#shared/usage/stored-bytes.ts';
import type { PlannedFile } from './import-plan.ts';
import { IMPORT_LIMITS } from './limits.ts';

/** Returns warnings about files that are left out, because they are damaged or the organization's storage is full. */
export async function storeAttachments(
  services: Services,
  run: Run,
  files: readonly PlannedFile[],
  source: Source,
): Promise<ReportWarning[]> {
  const warnings = new Warnings();
  if (files.length > 0 && !(await hasRoom(services, run))) {
    for (const file of files) warnings.leaveOut(file, 'the storage of the organization is full');
    return [...warnings.all];
  }
  const attachments = await assignArtifacts(services, run, files, source);
  const artifacts = attachments.map(({ artifact }) => artifact);
  for (const instanceArtifacts of Map.groupBy(artifacts, ({ instanceId }) => instanceId).values())
    await announceFiles(services, instanceArtifacts);
  const store = async ({ file, artifact }: AttachmentArtifact) => {
    const bytes = await readAttachment(file, warnings);
    if (bytes) await services.artifacts.put(getUploadKey(artifact), bytes, artifact.contentType);
  };
  if (!haveEnded(run.expiry.files, services.now()))
    await mapConcurrently(attachments, store, IMPORT_LIMITS.attachmentsTogether);
  return [...warnings.all];
}

interface AttachmentArtifact {
  readonly file: ReportedFile;
  readonly artifact: Artifact;
}

/** A damaged attachment only causes a warning and gives `undefined`, so that the import still succeeds. */
async function readAttachment(file: ReportedFile, warnings: Warnings): Promise<Buffer | undefined> {
  try {
    return await buffer(Readable.from(file.read()));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    warnings.leaveOut(file, 'it is damaged in the archive');
    return undefined;
  }
}

/** An attempt may have several files with the same name, so the id also contains a sequence number. */
async function assignArtifacts(
  services: Services,
  run: Run,
  files: readonly PlannedFile[],
  source: Source,
): Promise<AttachmentArtifact[]> {
  if (files.length === 0) return [];
  const { now } = services;
  const { organizationId, expiry } = run;
  const targets = await findTargets(services, run, files);
  const instanceOf = await findInstancesOfTests(services, run, source, files, targets.instanceOf);
  const counts = new Map<string, number>();
  return files.map((file) => {
    const { testId, attempt, name } = file;
    const instanceId = instanceOf(file);
    const key = JSON.stringify([instanceId, testId, attempt, name]);
    const number = counts.get(key) ?? 0;
    counts.set(key, number + 1);
    const artifactId = deriveArtifactId('import', name, testId, String(attempt), String(number));
    const artifact = {
      organizationId,
      instanceId,
      artifactId,
      objectName: deriveObjectName({ artifactId, expiry, testId }),
      type: detectFileType(file),
      name,
      fileName: name,
      contentType: contentTypeOf.parse(file.contentType),
      testId,
      attempt,
      createdAt: now(),
      expiry,
    };
    return { file, artifact };
  });
}
