import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { endMachine } from '#shared/recording/own/record-machine.ts';
import { EndedMachine, EndMachineBody } from '#shared/recording/own/recording-wire.ts';

export const handler = endpoint({
  operationId: 'endMachine',
  route: 'POST /recordings/{runId}/end',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'End the recording of a machine',
  description:
    'If batches are missing, nothing changes: send the missing batches, then this request again. The run ends when all of its machines have ended and every expected test has a result.',
  body: EndMachineBody,
  response: single(EndedMachine),
  refuses: ['notFound', 'runTakesNoMore'],
  async handle({ actor: { organizationId }, path: { runId }, body }, services) {
    return wrapData(await endMachine(services, { organizationId, runId, body }));
  },
});
