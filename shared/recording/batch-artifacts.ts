/** The files of a batch upload: announced together, each answered with a link to put it to. */
import { mapConcurrently } from '../concurrently.ts';
import { type Artifact, artifacts, objectKey, objectNameOf } from '../resources/artifact.ts';
import { instanceIdOf } from '../resources/ids.ts';
import type { Run } from '../resources/run.ts';
import type { Services } from '../services.ts';
import { ABSENT } from '../table/writes.ts';
import type { BatchArtifact, BatchInstance } from './batch-wire.ts';
import { artifactIdOf } from './register-artifact.ts';

interface File {
  readonly path: string;
  readonly artifact: Artifact;
}

export async function registerBatchArtifacts(services: Services, run: Run, instance: BatchInstance) {
  const files = filesOf(services, run, instance);
  // Announced again, a file that has arrived stays one that has arrived.
  await mapConcurrently(files, ({ artifact }) => services.table.put(artifacts, artifact, ABSENT));
  return mapConcurrently(files, async ({ path, artifact }) => {
    const key = objectKey(artifact);
    const { artifactId, contentType } = artifact;
    const [uploadUrl, readUrl] = await Promise.all([
      services.artifacts.uploadUrl(key),
      services.artifacts.readUrl({ key, contentType, fileName: artifact.fileName ?? artifact.name }),
    ]);
    return { artifactId, path, uploadUrl, readUrl };
  });
}

function filesOf({ now }: Services, { organizationId, runId }: Run, instance: BatchInstance): File[] {
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
      objectName: objectNameOf({ artifactId, ...level }),
      type,
      name: name ?? fileName,
      fileName,
      contentType,
    };
    return { path, artifact: { organizationId, instanceId, createdAt, ...own, ...level } };
  };
  return [
    ...instance.artifacts.map((of) => file(of, {})),
    ...instance.results.tests.flatMap(({ test: { testId }, files }) => [
      ...files.artifacts.map((of) => file(of, { testId })),
      ...files.attempts.flatMap((attempt, index) =>
        attempt.artifacts.map((of) => file(of, { testId, attempt: index })),
      ),
    ]),
  ];
}

const nameOf = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;
