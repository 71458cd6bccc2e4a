/** A batch upload: the run is joined, and each finished instance is written whole. Sent again, it rewrites the same rows. */
import type * as z from 'zod';
import { mapConcurrently } from '../concurrently.ts';
import { completeRun } from '../lifecycle/complete-run.ts';
import { instanceIdOf } from '../resources/ids.ts';
import { instances } from '../resources/instance.ts';
import { type Framework, type Run, runs } from '../resources/run.ts';
import type { Services } from '../services.ts';
import { registerBatchArtifacts } from './batch-artifacts.ts';
import type { UploadRunAnswer, UploadRunBody } from './batch-wire.ts';
import { joinRun, requestKeyOf } from './join-run.ts';
import { recordInstance } from './record-instance.ts';

export async function uploadRun(
  services: Services,
  {
    organizationId,
    body,
    clientVersion,
  }: { organizationId: string; body: UploadRunBody; clientVersion: string | undefined },
): Promise<z.input<typeof UploadRunAnswer>> {
  const { machineId, ...content } = body;
  // The command sends no idempotency key: the same content again is the same upload, and a machine may go on with its own.
  const requestKey = requestKeyOf(undefined, content);
  const sameMachine = machineId ? [requestKeyOf(`machine ${machineId}`, undefined)] : [];
  const framework = frameworkOf(body, clientVersion);
  const answer = await joinRun(services, {
    organizationId,
    body,
    framework,
    requestKeys: [requestKey, ...sameMachine],
    isRepetition: (run) => isRepetition(services, run, { body, requestKey }),
  });
  const run = await services.table.get(runs, { organizationId, runId: answer.runId }, { consistent: true });
  if (!run) throw new Error(`The run ${answer.runId} that was just joined does not exist`);
  const upload = { run, machineId: answer.machineId, requestKey };
  await mapConcurrently(body.instances, (sent) => recordInstance(services, { ...upload, sent }));
  if (body.instances.length > 0) await completeRun(services, run);
  const artifactUploadUrls = await mapConcurrently(body.instances, (instance) =>
    registerBatchArtifacts(services, run, instance),
  );
  return { ...answer, artifactUploadUrls: artifactUploadUrls.flat() };
}

/** The same directory uploaded once more, by a process that nobody knows: each of its spec files came with this very content. */
async function isRepetition(
  { table }: Services,
  { organizationId, runId }: Run,
  { body, requestKey }: { body: UploadRunBody; requestKey: string },
): Promise<boolean> {
  if (body.instances.length === 0) return !body.fullTestSuite?.length;
  const keys = body.instances.map(({ groupId, spec }) => instanceIdOf({ runId, groupId, spec }));
  const known = await table.getMany(
    instances,
    keys.map((instanceId) => ({ organizationId, runId, instanceId })),
    { consistent: true },
  );
  return known.every((instance) => instance?.claims.some(({ key }) => key === requestKey));
}

const frameworkOf = ({ framework }: UploadRunBody, clientVersion: string | undefined): Framework => ({
  type: framework?.type ?? 'unknown',
  version: framework?.version ?? null,
  clientVersion: framework?.clientVersion ?? clientVersion ?? null,
});
