import { findBuild } from '#shared/access/actor.ts';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { planShards } from '#shared/orchestration/plan-shards.ts';
import { PlannedShards, PlanShardsBody } from '#shared/orchestration/shard-plan-wire.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { bindTry, requireOwnBuild } from '#shared/recording/own-build.ts';

/** Our reporter asks before the first test, if it balances the shards of Playwright. */
export const handler = endpoint({
  operationId: 'planShards',
  route: 'POST /projects/{projectId}/shard-plans',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Divide the tests of a CI build among its shards',
  description:
    'The first shard stores the plan, by the usual durations of the spec files in the last 30 days. All others get the same plan. A shard with other tests or another number of shards gets 409.',
  body: PlanShardsBody,
  response: single(PlannedShards),
  refuses: ['notFound', 'conflict'],
  ofBuild: requireOwnBuild,
  async handle({ actor, path: { projectId }, body: sentBody }, services) {
    const body = bindTry(sentBody, findBuild(actor));
    return wrapData(await planShards(services, { organizationId: actor.organizationId, projectId, body }));
  },
});
