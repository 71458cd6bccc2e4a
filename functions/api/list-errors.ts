import * as z from 'zod';
import { buildErrorsFile } from '#shared/analytics/metrics/csv-files.ts';
import { ErrorsList, errorsQuery } from '#shared/analytics/metrics/errors-wire.ts';
import { describeSmallerAnswer } from '#shared/analytics/metrics/page-wire.ts';
import { addLatestIds, readAllErrors, readErrors } from '#shared/analytics/metrics/read-errors.ts';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { shortenErrors } from '#shared/mcp/shorter-analytics.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §4.4.5 */
export const handler = endpoint({
  operationId: 'listErrors',
  route: 'GET /errors/{projectId}',
  permission: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the errors of a project, grouped and over time',
  query: z.object(errorsQuery),
  response: single(ErrorsList),
  content: ['csv'],
  limit: describeSmallerAnswer,
  refuses: ['notFound'],
  tool: {
    description:
      'Use it to find the errors that break the most tests, since when an error has occurred, or where else it occurs: copy its text into `error_message`. Default range: the last 30 days. Needs `projectId` from list_projects.',
    rangeDays: 30,
    defaults: { limit: 10, top_n: 1 },
    without: {
      format: 'Tools answer with JSON',
      metric: 'Tools show no timeline',
      top_n: 'Tools show no timeline',
    },
    answer: shortenErrors,
    next: 'get_context with the `instanceId` and `testId` of `latest` for an example of an error, get_test_results with a `signature` for the history of a test.',
  },
  async handle({ caller, query }, services) {
    const request = { ...caller, query };
    if (query.format === 'csv') return buildErrorsFile(await readAllErrors(services, request), query);
    const page = await readErrors(services, request);
    return wrapData({ ...page, list: await addLatestIds(services, caller, page.list) });
  },
});
