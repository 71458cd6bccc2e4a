import * as z from 'zod';
import { errorsQuery } from '#shared/analytics/metrics/errors-wire.ts';
import { METRIC_LIMITS } from '#shared/analytics/metrics/limits.ts';
import { readErrors } from '#shared/analytics/metrics/read-errors.ts';
import { hasRunsBeingAdded } from '#shared/analytics/metrics/runs-being-added.ts';
import { ErrorsPage } from '#shared/pages/analytics/errors-page.tsx';
import { addDefaultPeriod, LIST_RANGE, toShownPeriod } from '#shared/pages/shell/list-period.ts';
import { page } from '#shared/platform/page.ts';
import { readKnownIssues } from '#shared/results/known-issues.ts';

/**
 * The page always groups by all values that identify an error, so each row is one error. It shows a daily timeline for
 * the most frequent errors.
 */
const { group_by: _, metric: __, top_n: ___, ...query } = errorsQuery;
const WHOLE = {
  group_by: errorsQuery.group_by.parse(undefined),
  metric: 'occurrence',
  top_n: METRIC_LIMITS.timelineKeys.maximum,
} as const;

export const handler = page({
  operationId: 'showErrors',
  route: 'GET /{organizationId}/{projectId}/errors',
  needs: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ ...query, ...LIST_RANGE }),
  async show({ visit, caller, query: rawQuery, at }, services) {
    const query = addDefaultPeriod({ ...rawQuery, ...WHOLE }, services.now());
    const [errors, isBehind, issuesBy] = await Promise.all([
      readErrors(services, { ...caller, query }),
      hasRunsBeingAdded(services, visit),
      readKnownIssues(services, visit),
    ]);
    const props = {
      at,
      query,
      errors,
      issuesBy,
      period: toShownPeriod(query),
      now: services.now(),
    };
    return { isBehind, title: 'Errors', tab: 'Errors', body: <ErrorsPage {...props} /> };
  },
});
