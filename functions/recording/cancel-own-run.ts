import { formatActorName } from '#shared/access/actor.ts';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { cancelOwnRun } from '#shared/lifecycle/cancel-run.ts';
import { CancelOwnRunAnswer, CancelOwnRunBody } from '#shared/lifecycle/cancel-wire.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { actorFromBody } from '#shared/platform/from-body.ts';

/** Called by `currents cancel`. The record key is in the body, where the authorizer cannot see it. */
export const handler = endpoint({
  operationId: 'cancelOwnRun',
  route: 'POST /runs/cancel',
  permission: 'record',
  credential: actorFromBody(),
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Cancel the run of a CI build from within its job',
  description: 'Send `ciBuildId` or `runId`.',
  body: CancelOwnRunBody,
  response: single(CancelOwnRunAnswer),
  async handle({ actor, body }, services) {
    const { organizationId } = actor;
    return wrapData(await cancelOwnRun(services, { organizationId, actor: formatActorName(actor), body }));
  },
});
