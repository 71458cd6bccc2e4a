/** Presents the files of an instance as links: a list per kind of file, and the standard output of the instance. */
import type * as z from 'zod';
import type { Artifacts } from '#shared/engine/aws/artifacts.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { type Artifact, getObjectKey } from '#shared/model/results/artifact.ts';
import type { LinkedFile } from '#shared/model/results/shown-files.ts';
import type { InstanceFiles } from './files-wire.ts';

/** The files that belong to these tests, and the files that belong to no test. */
export function pickFilesOfTests(
  tests: readonly { readonly testId: string }[],
  files: readonly Artifact[],
): Artifact[] {
  const testIds = new Set(tests.map(({ testId }) => testId));
  return files.filter(({ testId }) => testId == null || testIds.has(testId));
}

export async function linkFiles(
  artifacts: Artifacts,
  files: readonly LinkedFile[],
): Promise<z.infer<typeof InstanceFiles>> {
  const linkedFiles = await mapConcurrently(files, async (file) => ({
    file,
    url: await artifacts.readUrl(linkTo(file)),
  }));
  const ofType = (type: Artifact['type']) => linkedFiles.filter(({ file }) => file.type === type);
  const test = (file: LinkedFile) => ({
    testId: file.testId ?? '',
    testAttemptIndex: file.attempt ?? 0,
    bytes: file.bytes ?? null,
  });
  return {
    playwrightTraces: ofType('trace').map(({ file, url }) => ({
      ...test(file),
      traceId: file.artifactId,
      name: file.name,
      traceURL: url,
    })),
    screenshots: ofType('screenshot').map(({ file, url }) => ({
      ...test(file),
      screenshotId: file.artifactId,
      name: file.name,
      screenshotURL: url,
      takenAt: formatIsoTime(file.createdAt),
    })),
    videos: ofType('video').map(({ file, url }) => ({ ...test(file), videoUrl: url })),
    attachments: ofType('attachment').map(({ file, url }) => ({
      ...test(file),
      id: file.artifactId,
      name: file.name,
      filename: file.fileName,
      contentType: file.contentType,
      readUrl: url,
      createdAt: formatIsoTime(file.createdAt),
    })),
    stdout: ofType('stdout').map(({ file, url }) => ({ readUrl: url, bytes: file.bytes ?? null }))[0] ?? null,
  };
}

export const linkTo = (file: LinkedFile) => ({
  key: getObjectKey(file),
  contentType: file.contentType,
  fileName: file.fileName ?? file.name,
});
