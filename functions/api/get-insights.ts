import * as z from 'zod';
import { buildTimelineFile } from '#shared/analytics/metrics/csv-files.ts';
import { Insights, insightsQuery } from '#shared/analytics/metrics/insights-wire.ts';
import { readInsights } from '#shared/analytics/metrics/read-insights.ts';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { shortenInsights } from '#shared/mcp/shorter-analytics.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §4.4.5 */
export const handler = endpoint({
  operationId: 'getInsights',
  route: 'GET /projects/{projectId}/insights',
  permission: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'Get the run and test statistics of a project: totals and a timeline',
  query: z.object(insightsQuery),
  response: single(Insights),
  content: ['csv'],
  refuses: ['notFound'],
  tool: {
    description:
      'Use it for totals and trends: runs, failures, flakiness, durations by day or week. Default range: the last 30 days. Needs `projectId` from list_projects.',
    rangeDays: 30,
    defaults: { resolution: '1w' },
    without: { format: 'Tools answer with JSON' },
    answer: shortenInsights,
    next: 'list_errors, list_tests or list_flaky_tests for the causes.',
  },
  async handle({ caller, query }, services) {
    const insights = await readInsights(services, { ...caller, query });
    return query.format === 'csv' ? buildTimelineFile(insights) : wrapData(insights);
  },
});
