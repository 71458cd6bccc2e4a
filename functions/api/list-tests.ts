import * as z from 'zod';
import { buildTestsFile } from '#shared/analytics/metrics/csv-files.ts';
import { describeSmallerAnswer } from '#shared/analytics/metrics/page-wire.ts';
import { readAllTests, readTests } from '#shared/analytics/metrics/read-tests.ts';
import { TestsList, testsQuery } from '#shared/analytics/metrics/tests-wire.ts';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { shortenTests } from '#shared/mcp/shorter-analytics.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §4.4.5 */
export const handler = endpoint({
  operationId: 'listTests',
  route: 'GET /tests/{projectId}',
  permission: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the tests of a project with their metrics',
  query: z.object(testsQuery),
  response: single(TestsList),
  content: ['csv'],
  limit: describeSmallerAnswer,
  refuses: ['notFound'],
  tool: {
    description:
      'Use it for the slowest or most failing tests: `order: "failures"`, `"flakiness"` or `"duration"`. Default range: the last 30 days. Needs `projectId` from list_projects.',
    rangeDays: 30,
    defaults: { limit: 10, order: 'failures' },
    without: {
      format: 'Tools answer with JSON',
      metric_settings: 'Use the default metrics',
      annotations: 'Filter by the other arguments',
    },
    answer: shortenTests,
    next: 'get_test_results with `signature` for the executions of one test.',
  },
  async handle({ caller, query }, services) {
    const request = { ...caller, query };
    if (query.format === 'csv') return buildTestsFile(await readAllTests(services, request));
    return wrapData(await readTests(services, request));
  },
});
