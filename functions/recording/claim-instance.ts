import { endpoint } from '#shared/platform/endpoint.ts';
import { deriveRequestKey } from '#shared/recording/join-run.ts';
import { claimInstance } from '#shared/recording/published/claim-instance.ts';
import { ClaimInstanceAnswer, ClaimInstanceBody } from '#shared/recording/published/claim-wire.ts';

export const handler = endpoint({
  operationId: 'claimInstance',
  route: 'POST /runs/{runId}/pw/instances/v1',
  at: 'both',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Claim a spec file of a run',
  body: ClaimInstanceBody,
  response: ClaimInstanceAnswer,
  refuses: ['notFound', 'runTakesNoMore'],
  handle: ({ actor: { organizationId }, path: { runId }, body, header }, services) => {
    const requestKey = deriveRequestKey(header('x-currents-idempotency-key'), body);
    return claimInstance(services, { organizationId, runId, body, requestKey });
  },
});
