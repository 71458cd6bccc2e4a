import { endpoint } from '#shared/endpoint.ts';
import { ClaimInstanceAnswer, ClaimInstanceBody, claimInstance } from '#shared/recording/claim-instance.ts';
import { requestKeyOf } from '#shared/recording/join-run.ts';
import { id } from '#shared/resources/names.ts';

export const handler = endpoint({
  operationId: 'claimInstance',
  route: 'POST /runs/{runId}/pw/instances/v1',
  at: 'origin',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Take a spec file of a run',
  path: { runId: id },
  body: ClaimInstanceBody,
  response: ClaimInstanceAnswer,
  handle: ({ caller: { organizationId }, path: { runId }, body, header }, services) => {
    const requestKey = requestKeyOf(header('x-currents-idempotency-key'), body);
    return claimInstance(services, { organizationId, runId, body, requestKey });
  },
});
