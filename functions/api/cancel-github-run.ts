import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { actorOf, CancelGithubRunBody, CancelledGithubRun, cancelGithubRun } from '#shared/lifecycle/cancel-run.ts';

/** §4.4 For the job of a workflow that ends when somebody cancels it. */
export const handler = endpoint({
  operationId: 'cancelGithubRun',
  route: 'PUT /runs/cancel-ci/github',
  permission: 'runs:write',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Cancel the runs of an attempt of a GitHub Actions workflow run',
  body: CancelGithubRunBody,
  response: single(CancelledGithubRun),
  async handle({ caller, body }, services) {
    const { organizationId } = caller;
    return ok({ data: await cancelGithubRun(services, { organizationId, actor: actorOf(caller), body }) });
  },
});
