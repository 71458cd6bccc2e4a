/**
 * Stores attachments of a report as artifacts of its tests. They take the path of reporters' uploads, so traces are
 * analyzed too.
 */

import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { ApiError } from '#shared/engine/errors.ts';
import { announceFiles } from '#shared/ingest/show-file.ts';
import { instanceIdOf } from '#shared/model/ids.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { type Artifact, objectNameOf, uploadKey } from '#shared/model/tests/artifact.ts';
import { contentType as contentTypeOf } from '#shared/recording/artifact-wire.ts';
import { artifactIdOf } from '#shared/recording/register-artifact.ts';
import type { ReportedFile, ReportWarning } from '#shared/reports/report.ts';
import { Warnings } from '#shared/reports/warnings.ts';
import type { Services } from '#shared/services.ts';
import { IMPORT_LIMITS } from './limits.ts';

/** Returns a warning for each file that cannot be read. */
export async function storeAttachments(
  services: Services,
  run: Run,
  files: readonly ReportedFile[],
): Promise<ReportWarning[]> {
  const warnings = new Warnings();
  const named = withArtifacts(services, run, files);
  for (const ofInstance of Map.groupBy(named, ({ artifact }) => artifact.instanceId).values())
    await announceFiles(
      services,
      ofInstance.map(({ artifact }) => artifact),
    );
  const ended = (run.expiry.files ?? Number.POSITIVE_INFINITY) * 1000 <= services.now();
  if (!ended) await mapConcurrently(named, (one) => store(services, one, warnings), IMPORT_LIMITS.attachmentsTogether);
  return [...warnings.all];
}

interface Named {
  readonly file: ReportedFile;
  readonly artifact: Artifact;
}

async function store({ artifacts }: Services, { file, artifact }: Named, warnings: Warnings): Promise<void> {
  const bytes = await bytesOf(file, warnings);
  if (bytes) await artifacts.put(uploadKey(artifact), bytes, artifact.contentType);
}

/** Reads an attachment, or warns and returns nothing. A damaged attachment must not cost a team its results. */
async function bytesOf(file: ReportedFile, warnings: Warnings): Promise<Buffer | undefined> {
  try {
    return await buffer(Readable.from(file.read()));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    warnings.leaveOut(file, 'it is damaged in the archive');
    return undefined;
  }
}

/** An attempt may have several files with the same name, so the id also contains a running number. */
function withArtifacts({ now }: Services, run: Run, files: readonly ReportedFile[]): Named[] {
  const { organizationId, runId, expiry } = run;
  const seen = new Map<string, number>();
  return files.map((file) => {
    const { groupId, spec, testId, attempt, name } = file;
    const instanceId = instanceIdOf({ runId, groupId, spec });
    const key = JSON.stringify([instanceId, testId, attempt, name]);
    const number = seen.get(key) ?? 0;
    seen.set(key, number + 1);
    const artifactId = artifactIdOf('import', name, testId, String(attempt), String(number));
    const type = typeOf(file);
    const own = { type, name, fileName: name, contentType: contentTypeOf.parse(file.contentType) };
    const objectName = objectNameOf({ artifactId, expiry, testId });
    return {
      file,
      artifact: {
        organizationId,
        instanceId,
        artifactId,
        objectName,
        ...own,
        testId,
        attempt,
        createdAt: now(),
        expiry,
      },
    };
  });
}

function typeOf({ name, contentType }: ReportedFile): Artifact['type'] {
  if (name === 'trace' && contentType === 'application/zip') return 'trace';
  if (contentType.startsWith('image/')) return 'screenshot';
  return contentType.startsWith('video/') ? 'video' : 'attachment';
}
