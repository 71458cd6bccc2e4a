import { callerFromBody } from '#shared/credentials/from-body.ts';
import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { actorOf, CancelOwnRunAnswer, CancelOwnRunBody, cancelOwnRun } from '#shared/lifecycle/cancel-run.ts';

/** What `currents cancel` calls. Its key is in the body, where no authorizer can see it. */
export const handler = endpoint({
  operationId: 'cancelOwnRun',
  route: 'POST /runs/cancel',
  permission: 'record',
  credential: callerFromBody(),
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Cancel the run of a CI build, from that build',
  body: CancelOwnRunBody,
  response: single(CancelOwnRunAnswer),
  async handle({ caller, body }, services) {
    const { organizationId } = caller;
    return ok({ data: await cancelOwnRun(services, { organizationId, actor: actorOf(caller), body }) });
  },
});
