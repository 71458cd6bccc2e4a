/** A batch upload joins the run and writes each finished instance. Idempotent: a repetition rewrites the same rows. */

import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { findTargets, type Targets } from '#shared/ingest/execution-of.ts';
import { announceFiles } from '#shared/ingest/show-file.ts';
import { findInstancesOfTests, makeMachineSource, type Source } from '#shared/ingest/sources.ts';
import { settleRun } from '#shared/lifecycle/complete-run.ts';
import { recordInstances } from '#shared/lifecycle/record-instances.ts';
import { deriveInstanceId, deriveMachineKey } from '#shared/model/ids.ts';
import { type Artifact, getObjectKey, getUploadKey } from '#shared/model/results/artifact.ts';
import { instances as instanceRows } from '#shared/model/results/instance.ts';
import { hasBeenReopened, isUnderWay, type Run } from '#shared/model/runs/run.ts';
import { deriveRequestKey, joinRun } from '#shared/recording/join-run.ts';
import { noteLeftOut, summarizeLeftOut } from '#shared/recording/left-out.ts';
import { addObjectName, deriveArtifactId } from '#shared/recording/make-artifact.ts';
import { toUploadedInstance } from '#shared/recording/reported-test.ts';
import { completeFramework } from '#shared/recording/run-wire.ts';
import type { Services } from '#shared/services.ts';
import { hasRoom } from '#shared/usage/stored-bytes.ts';
import type { BatchArtifact, BatchInstance, UploadRunAnswer, UploadRunBody } from './batch-wire.ts';
import { presentJoinedRun, toRunRequest } from './translate-run.ts';

interface UploadRequest {
  readonly organizationId: string;
  readonly body: UploadRunBody;
  readonly clientVersion: string | undefined;
}

export async function uploadRun(
  services: Services,
  { organizationId, body, clientVersion }: UploadRequest,
): Promise<z.input<typeof UploadRunAnswer>> {
  const { machineId, ...content } = body;
  // The upload command sends no idempotency key. A request with the same content counts as a retry, and a machine that
  // has already joined may send more requests.
  const requestKey = deriveRequestKey(undefined, content);
  const sameMachine = machineId ? [deriveMachineKey(machineId)] : [];
  const joinedRun = await joinRun(services, {
    ...toRunRequest(body, { organizationId, framework: completeFramework(body.framework, clientVersion) }),
    requestKeys: [requestKey, ...sameMachine],
    isRepetition: (run) => isRepetition(services, run, { body, requestKey }),
  });
  const answer = presentJoinedRun(services, joinedRun, body.group);
  const { runId } = answer;
  const { valid: instances, leftOut } = body.instances;
  const { run, ...targets } = await findTargets(services, { organizationId, runId }, instances);
  if (!run) throw new Error(`The run ${runId} does not exist, although this request has just joined it`);
  await noteLeftOut(services, run, { source: requestKey, texts: leftOut });
  const uploadedInstances = instances.map(({ groupId, spec, tests }) =>
    toUploadedInstance({ groupId, spec, tests }, services.now()),
  );
  const source = makeMachineSource(findEarlierMachine(run, targets, { body, requestKey }) ?? answer.machineId);
  await recordInstances(services, {
    targets: { ...targets, run },
    source,
    claimKey: requestKey,
    instances: uploadedInstances,
  });
  if (hasBeenReopened(run) || !isUnderWay(run)) await settleRun(services, run);
  const artifactUploadUrls = await mapConcurrently(instances, (instance) =>
    registerBatchArtifacts(services, run, instance, { source, targets }),
  );
  const warnings = [...answer.warnings, ...summarizeLeftOut(leftOut).map((message) => ({ message }))];
  return { ...answer, warnings, artifactUploadUrls: artifactUploadUrls.flat() };
}

/**
 * Whether the request repeats an earlier upload: each of its spec files already has a claim whose key was derived from
 * the same content. A request without spec files counts as a repetition if it contains no suite either.
 */
async function isRepetition(
  { table }: Services,
  { organizationId, runId }: Run,
  { body, requestKey }: { body: UploadRunBody; requestKey: string },
): Promise<boolean> {
  const sentInstances = body.instances.valid;
  if (sentInstances.length === 0) return !body.fullTestSuite?.length;
  const keys = sentInstances.map(({ groupId, spec }) => {
    const instanceId = deriveInstanceId({ runId, groupId, spec });
    return { organizationId, runId, instanceId };
  });
  const storedInstances = await table.getMany(instanceRows, keys, { consistent: true });
  return storedInstances.every((instance) => instance?.claims.some(({ key }) => key === requestKey));
}

/** Whoever sent the same content before. Then this request repeats that upload: the same bytes are the same results. */
const findEarlierMachine = (
  { runId }: Run,
  { instanceOf }: Pick<Targets, 'instanceOf'>,
  { body, requestKey }: { body: UploadRunBody; requestKey: string },
): string | undefined =>
  body.instances.valid
    .flatMap(({ groupId, spec }) => instanceOf(deriveInstanceId({ runId, groupId, spec }))?.claims ?? [])
    .find(({ key }) => key === requestKey)?.machineId;

interface File {
  readonly path: string;
  readonly artifact: Artifact;
}

/** Announces the files of an instance. Returns presigned URLs to write and read each file. */
async function registerBatchArtifacts(
  services: Services,
  run: Run,
  instance: BatchInstance,
  { source, targets }: { readonly source: Source; readonly targets: Pick<Targets, 'instanceOf'> },
) {
  const { groupId, spec } = instance;
  const tests = instance.tests.map(({ test: { testId } }) => ({ groupId, spec, testId }));
  const instanceOf = await findInstancesOfTests(services, run, source, tests, targets.instanceOf);
  const files = makeBatchFiles(services, run, instance, (testId) => instanceOf({ groupId, spec, testId }));
  // Without links, the client uploads no files. Its results are already recorded.
  if (files.length === 0 || !(await hasRoom(services, run))) return [];
  await announceFiles(
    services,
    files.map(({ artifact }) => artifact),
  );
  return mapConcurrently(files, async ({ path, artifact }) => {
    const key = getObjectKey(artifact);
    const { artifactId, contentType } = artifact;
    const [uploadUrl, readUrl] = await Promise.all([
      services.artifacts.uploadUrl(getUploadKey(artifact)),
      services.artifacts.readUrl({ key, contentType, fileName: artifact.fileName ?? artifact.name }),
    ]);
    return { artifactId, path, uploadUrl, readUrl };
  });
}

function makeBatchFiles(
  { now }: Services,
  { organizationId, expiry }: Run,
  instance: BatchInstance,
  instanceOf: (testId: string | undefined) => string,
): File[] {
  const createdAt = now();
  let place = 0;
  const makeFile = (
    { path, type, name, contentType }: BatchArtifact,
    level: Pick<Artifact, 'testId' | 'attempt'>,
  ): File => {
    const artifactId = deriveArtifactId(path, level.testId ?? '', String(level.attempt ?? ''));
    const fileName = path.split(/[\\/]/).at(-1) ?? path;
    const instanceId = instanceOf(level.testId);
    const fileFields = { artifactId, type, name: name ?? fileName, fileName, contentType };
    const artifact = addObjectName({ organizationId, instanceId, createdAt, place, expiry, ...fileFields, ...level });
    place += 1;
    return { path, artifact };
  };
  return [
    ...instance.artifacts.map((artifact) => makeFile(artifact, {})),
    ...instance.tests.flatMap(({ test: { testId }, files }) => [
      ...files.artifacts.map((artifact) => makeFile(artifact, { testId })),
      ...files.attempts.flatMap(({ artifacts }, attempt) =>
        artifacts.map((artifact) => makeFile(artifact, { testId, attempt })),
      ),
    ]),
  ];
}
