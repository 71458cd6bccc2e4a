import * as z from 'zod';
import { endpoint } from '#shared/endpoint.ts';
import { cursorPageOf, ok } from '#shared/envelope.ts';
import { LIMITS } from '#shared/limits.ts';
import { cursorQuery, instant } from '#shared/pagination.ts';
import { id } from '#shared/resources/names.ts';
import { listTestResults } from '#shared/results/list-test-results.ts';
import { TestResult } from '#shared/results/test-result.ts';
import { filterQuery } from '#shared/results/test-results-filter.ts';

/** §4.1 */
export const handler = endpoint({
  operationId: 'getTestResults',
  route: 'GET /test-results/{signature}',
  permission: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'Historical executions of one test, newest first',
  path: { signature: id },
  query: z.object({
    date_start: instant.meta({ description: 'Recorded at or after' }),
    date_end: instant.meta({ description: 'Recorded before' }),
    ...cursorQuery(LIMITS.testResultsPage),
    ...filterQuery,
  }),
  response: cursorPageOf(TestResult),
  async handle({ caller: { organizationId }, path: { signature }, query }, services) {
    return ok(await listTestResults(services, { organizationId, signature, query }));
  },
});
