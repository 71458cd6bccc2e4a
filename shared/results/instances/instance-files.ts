/** Presents the files of an instance as links: a list per kind of file, and the standard output of the instance. */
import type * as z from 'zod';
import type { Artifacts, ReadLink } from '#shared/engine/aws/artifacts.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { type Artifact, getObjectKey } from '#shared/model/results/artifact.ts';
import type { LinkedFile } from '#shared/model/results/shown-files.ts';
import type { InstanceFiles } from './files-wire.ts';

/** The files that belong to these tests, and the files that belong to no test, such as the output. */
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
    url: await artifacts.readUrl(toReadLink(file)),
  }));
  const pickType = (type: Artifact['type']) => linkedFiles.filter(({ file }) => file.type === type);
  return {
    playwrightTraces: pickType('trace').map(({ file, url }) => ({
      ...presentFileOfTest(file),
      traceId: file.artifactId,
      name: file.name,
      traceURL: url,
    })),
    screenshots: pickType('screenshot').map(({ file, url }) => ({
      ...presentFileOfTest(file),
      screenshotId: file.artifactId,
      name: file.name,
      screenshotURL: url,
      takenAt: formatIsoTime(file.createdAt),
    })),
    videos: pickType('video').map(({ file, url }) => ({ ...presentFileOfTest(file), videoUrl: url })),
    attachments: pickType('attachment').map(({ file, url }) => ({
      ...presentFileOfTest(file),
      id: file.artifactId,
      name: file.name,
      filename: file.fileName,
      contentType: file.contentType,
      readUrl: url,
      createdAt: formatIsoTime(file.createdAt),
    })),
    stdout: pickType('stdout').map(({ file, url }) => ({ readUrl: url, bytes: file.bytes ?? null }))[0] ?? null,
  };
}

/** The members that all kinds of files have, except for the output, which belongs to no test. */
const presentFileOfTest = ({ testId = '', attempt = 0, bytes }: LinkedFile) => ({
  testId,
  testAttemptIndex: attempt,
  bytes: bytes ?? null,
});

/** What the storage must know to sign a link to the file: a browser saves it under the name that it had in the run. */
export const toReadLink = (file: LinkedFile): ReadLink => ({
  key: getObjectKey(file),
  contentType: file.contentType,
  fileName: file.fileName ?? file.name,
});
