import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { recordBatch } from '#shared/recording/own/record-machine.ts';
import { BatchBody, StoredBatch } from '#shared/recording/own/recording-wire.ts';

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
  async handle({ actor: { organizationId }, path: { runId }, body }, services) {
    return wrapData(await recordBatch(services, { organizationId, runId, body }));
  },
});
