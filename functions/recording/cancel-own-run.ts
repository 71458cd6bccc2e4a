import { actorName } from '#shared/access/actor.ts';
import { ok, single } from '#shared/engine/http/envelope.ts';
import { CancelOwnRunAnswer, CancelOwnRunBody, cancelOwnRun } from '#shared/lifecycle/cancel-run.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { callerFromBody } from '#shared/platform/from-body.ts';

/** Called by `currents cancel`. The authorizer cannot see its key, which is in the body. */
export const handler = endpoint({
  operationId: 'cancelOwnRun',
  route: 'POST /runs/cancel',
  permission: 'record',
  credential: callerFromBody(),
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Cancel the run of the own CI build',
  description: 'Needs `ciBuildId` or `runId`.',
  body: CancelOwnRunBody,
  response: single(CancelOwnRunAnswer),
  async handle({ caller, body }, services) {
    const { organizationId } = caller;
    return ok({ data: await cancelOwnRun(services, { organizationId, actor: actorName(caller), body }) });
  },
});
