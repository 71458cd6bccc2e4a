import { notFound, refuse } from '#shared/engine/errors.ts';
import { ok, single } from '#shared/engine/http/envelope.ts';
import { id } from '#shared/model/names.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { presentInstance, testsOn } from '#shared/results/instance.ts';
import { filesOf, linkFiles } from '#shared/results/instance-files.ts';
import { Instance, InstanceQuery } from '#shared/results/instance-wire.ts';
import { loadInstance } from '#shared/results/load-instance.ts';

/** §4.2 */
export const handler = endpoint({
  operationId: 'getInstance',
  route: 'GET /instances/{instanceId}',
  permission: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  summary: 'Get one spec-file execution with its test results',
  path: { instanceId: id },
  query: InstanceQuery,
  response: single(Instance),
  limit: ({ limit }) => ({
    what: 'The instance',
    remedies: limit === 1 ? [] : ['read its tests in pages with `limit` and `page`'],
  }),
  refuses: ['notFound'],
  async handle({ actor: { organizationId }, path: { instanceId }, query }, services) {
    const loaded = (await loadInstance(services, { organizationId, instanceId })) ?? refuse(notFound('Instance'));
    const tests = testsOn(loaded.details, query);
    const files = await linkFiles(services.artifacts, filesOf(tests, loaded.artifacts));
    return ok({ data: presentInstance(loaded.details, tests, files) });
  },
});
