import { findBuild } from '#shared/access/actor.ts';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { recordBatch } from '#shared/recording/own/record-batch.ts';
import { BatchBody, StoredBatch } from '#shared/recording/own/recording-wire.ts';
import { requireOwnRun } from '#shared/recording/own-build.ts';

export const handler = endpoint({
  operationId: 'recordBatch',
  route: 'POST /recordings/{runId}/batches',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Record finished tests',
  description:
    'The response means that the results are stored. Batches may arrive repeatedly and in any order: each of them counts once. Compress the body, with `Content-Encoding: gzip`. A batch without results shows that the machine is alive.',
  body: BatchBody,
  response: single(StoredBatch),
  refuses: ['notFound', 'runTakesNoMore'],
  ofBuild: requireOwnRun,
  async handle({ actor, path: { runId }, body }, services) {
    const request = { organizationId: actor.organizationId, runId, body, origin: findBuild(actor)?.origin };
    return wrapData(await recordBatch(services, request));
  },
});
