import { formatActorName } from '#shared/access/actor.ts';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { cancelGithubRun } from '#shared/lifecycle/cancel-run.ts';
import { CancelGithubRunBody, CancelledGithubRun } from '#shared/lifecycle/cancel-wire.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §4.4.3 The final job of a cancelled GitHub Actions workflow calls this operation. */
export const handler = endpoint({
  operationId: 'cancelGithubRun',
  route: 'PUT /runs/cancel-ci/github',
  permission: 'runs:write',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Cancel the runs of a GitHub Actions workflow attempt',
  body: CancelGithubRunBody,
  response: single(CancelledGithubRun),
  refuses: ['notFound', 'runHasEnded'],
  tool: 'none',
  async handle({ caller, body }, services) {
    return wrapData(await cancelGithubRun(services, { ...caller, actor: formatActorName(caller.actor), body }));
  },
});
