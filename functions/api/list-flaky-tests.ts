import * as z from 'zod';
import { buildFlakyTestsFile } from '#shared/analytics/flaky/flaky-file.ts';
import { FlakyTestsPage, flakyTestsQuery } from '#shared/analytics/flaky/flaky-wire.ts';
import { listFlakyTests } from '#shared/analytics/flaky/list-flaky-tests.ts';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §4.4.6 */
export const handler = endpoint({
  operationId: 'listFlakyTests',
  route: 'GET /flaky/{projectId}',
  permission: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the flaky tests of a project, with the evidence for each',
  query: z.object(flakyTestsQuery),
  response: single(FlakyTestsPage),
  content: ['csv'],
  refuses: ['notFound'],
  tool: {
    description:
      'Use it to find tests to quarantine, or to check whether a failure is a known flake. Lists only the state `flaky`; add `suspected` to `state` for tests with little evidence. Needs `projectId` from list_projects.',
    defaults: { limit: 10, state: ['flaky'] },
    note: ({ request: { query }, result: { data } }) =>
      data.list.length > 0 || query.state.includes('suspected')
        ? undefined
        : 'No test has these states. Tests with little evidence: `state: ["suspected"]`.',
    without: { format: 'Tools answer with JSON' },
    next: 'get_test_results with `signature` and `flaky: true` for the flaky executions of one test.',
  },
  async handle({ caller, query }, services) {
    const page = await listFlakyTests(services, { ...caller, query });
    return query.format === 'csv' ? buildFlakyTestsFile(page) : wrapData(page);
  },
});
