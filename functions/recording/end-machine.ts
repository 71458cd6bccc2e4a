import { findBuild } from '#shared/access/actor.ts';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { endMachine } from '#shared/recording/own/end-machine.ts';
import { EndedMachine, EndMachineBody } from '#shared/recording/own/recording-wire.ts';
import { requireOwnRun } from '#shared/recording/own-build.ts';

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
  ofBuild: requireOwnRun,
  async handle({ actor, path: { runId }, body }, services) {
    const request = { organizationId: actor.organizationId, runId, body, origin: findBuild(actor)?.origin };
    return wrapData(await endMachine(services, request));
  },
});
