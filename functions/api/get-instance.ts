import { notFound, refuse } from '#shared/engine/errors.ts';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { shortenInstance } from '#shared/mcp/shorter-results.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { listPageTests, presentInstance } from '#shared/results/instances/instance.ts';
import { linkFiles, pickFilesOfTests } from '#shared/results/instances/instance-files.ts';
import { InstanceQuery, InstanceWire } from '#shared/results/instances/instance-wire.ts';
import { loadInstance } from '#shared/results/instances/load-instance.ts';

/** §4.2 */
export const handler = endpoint({
  operationId: 'getInstance',
  route: 'GET /instances/{instanceId}',
  permission: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  summary: 'Get one spec-file execution with its test results',
  query: InstanceQuery,
  response: single(InstanceWire),
  limit: ({ limit }) => ({
    what: 'The instance',
    remedies: limit === 1 ? [] : ['read its tests in pages with `limit` and `page`'],
  }),
  refuses: ['notFound'],
  tool: {
    description:
      'Use it for all tests of one spec file, including passed ones, and for links to screenshots, traces and videos. Needs `instanceId` from get_run, get_context or get_test_results. For errors use get_context.',
    defaults: { limit: 50 },
    answer: shortenInstance,
    next: 'get_context with `instance_id` and `test_id` for the full error of one test.',
  },
  async handle({ caller, path, query }, services) {
    const loadedInstance = (await loadInstance(services, { ...caller, ...path })) ?? refuse(notFound('Instance'));
    const tests = listPageTests(loadedInstance.details, query);
    const files = await linkFiles(services.artifacts, pickFilesOfTests(tests, loadedInstance.artifacts));
    return wrapData(presentInstance(loadedInstance.details, tests, files));
  },
});
