import * as z from 'zod';
import { cursorPageOf, wrapOk } from '#shared/engine/http/envelope.ts';
import { instant } from '#shared/engine/http/instant.ts';
import { cursorQuery, suggestSmallerPage } from '#shared/engine/http/pagination.ts';
import { shortenResults } from '#shared/mcp/shorter-results.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { listTestResults } from '#shared/results/executions/list-test-results.ts';
import { TestResult } from '#shared/results/executions/test-result-wire.ts';
import { filterQuery } from '#shared/results/filter-wire.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';

/** §4.1 */
export const handler = endpoint({
  operationId: 'getTestResults',
  route: 'GET /test-results/{signature}',
  permission: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List past executions of one test, newest first',
  query: z.object({
    date_start: instant.meta({ description: 'Start of the range, inclusive' }),
    date_end: instant.meta({ description: 'End of the range, exclusive. Not before `date_start`' }),
    ...cursorQuery(RESULT_LIMITS.testResultsPage),
    ...filterQuery,
  }),
  response: cursorPageOf(TestResult),
  limit: suggestSmallerPage,
  tool: {
    description:
      'Use it for the history of one test: when it started to fail, and on which branches and commits. Needs `signature` from get_context, list_tests, list_flaky_tests, get_run_comparison or get_test_signature. Default range: the last 90 days.',
    rangeDays: 90,
    without: { annotations: 'Filter by the other arguments' },
    answer: shortenResults,
    note: ({ result }) =>
      result.data.length > 0
        ? undefined
        : 'No execution of a test with this signature matches. If the signature is not from another tool, find the test with search_project or get_test_signature. Else drop filters, or widen `date_start` and `date_end`.',
    next: 'get_context with `instance_id` and `test_id` of a result for its error.',
  },
  async handle({ caller, path, query }, services) {
    return wrapOk(await listTestResults(services, { ...caller, ...path, query }));
  },
});
