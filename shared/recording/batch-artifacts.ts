/** Announces the files of a batch upload and returns a presigned PUT URL for each. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { announceFiles } from '#shared/ingest/show-file.ts';
import { instanceIdOf } from '#shared/model/ids.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { type Artifact, objectKey, objectNameOf, uploadKey } from '#shared/model/tests/artifact.ts';
import type { Services } from '#shared/services.ts';
import type { BatchArtifact, BatchInstance } from './batch-wire.ts';
import { artifactIdOf } from './register-artifact.ts';

interface File {
  readonly path: string;
  readonly artifact: Artifact;
}

export async function registerBatchArtifacts(services: Services, run: Run, instance: BatchInstance) {
  const files = filesOf(services, run, instance);
  await announceFiles(
    services,
    files.map(({ artifact }) => artifact),
  );
  return mapConcurrently(files, async ({ path, artifact }) => {
    const key = objectKey(artifact);
    const { artifactId, contentType } = artifact;
    const [uploadUrl, readUrl] = await Promise.all([
      services.artifacts.uploadUrl(uploadKey(artifact)),
      services.artifacts.readUrl({ key, contentType, fileName: artifact.fileName ?? artifact.name }),
    ]);
    return { artifactId, path, uploadUrl, readUrl };
  });
}

function filesOf({ now }: Services, { organizationId, runId, expiry }: Run, instance: BatchInstance): File[] {
  const instanceId = instanceIdOf({ runId, groupId: instance.groupId, spec: instance.spec });
  const createdAt = now();
  const file = (
    { path, type, name, contentType }: BatchArtifact,
    level: Pick<Artifact, 'testId' | 'attempt'>,
  ): File => {
    const artifactId = artifactIdOf(path, level.testId ?? '', String(level.attempt ?? ''));
    const fileName = nameOf(path);
    const own = {
      artifactId,
      objectName: objectNameOf({ artifactId, expiry, ...level }),
      type,
      name: name ?? fileName,
      fileName,
      contentType,
    };
    return { path, artifact: { organizationId, instanceId, createdAt, expiry, ...own, ...level } };
  };
  return [
    ...instance.artifacts.map((artifact) => file(artifact, {})),
    ...instance.results.tests.flatMap(({ test: { testId }, files }) => [
      ...files.artifacts.map((artifact) => file(artifact, { testId })),
      ...files.attempts.flatMap((attempt, index) =>
        attempt.artifacts.map((artifact) => file(artifact, { testId, attempt: index })),
      ),
    ]),
  ];
}

const nameOf = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;
