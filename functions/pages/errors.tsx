import * as z from 'zod';
import { buildErrorsFile } from '#shared/analytics/metrics/csv-files.ts';
import { errorsQuery } from '#shared/analytics/metrics/errors-wire.ts';
import { METRIC_LIMITS } from '#shared/analytics/metrics/limits.ts';
import { rangeQuery } from '#shared/analytics/metrics/range-wire.ts';
import { hasErrorKeys, readError } from '#shared/analytics/metrics/read-error.ts';
import { readAllErrors, readErrors } from '#shared/analytics/metrics/read-errors.ts';
import { hasRunsBeingAdded } from '#shared/analytics/metrics/runs-being-added.ts';
import { readShownError } from '#shared/context/shown-error.ts';
import { runs } from '#shared/model/runs/run.ts';
import { findErrorIssues, formatErrorTitle } from '#shared/pages/analytics/error-names.ts';
import { ErrorPage } from '#shared/pages/analytics/error-page.tsx';
import { ErrorsPage } from '#shared/pages/analytics/errors-page.tsx';
import { linkToProjectPage } from '#shared/pages/shell/hrefs.ts';
import { addDefaultPeriod, LIST_RANGE, toShownPeriod } from '#shared/pages/shell/list-period.ts';
import { page } from '#shared/platform/page.ts';
import { readErrorsInRun } from '#shared/results/failures/errors-in-run.ts';
import { readKnownIssues } from '#shared/results/failures/known-issues.ts';

/** The page always groups by all values that identify an error, so that each of its rows is one error. */
const FIXED_PARAMETERS = {
  group_by: errorsQuery.group_by.parse(undefined),
  metric: 'occurrence',
  /** The page shows a daily timeline for the most frequent errors. */
  top_n: METRIC_LIMITS.timelineKeys.maximum,
} as const;

export const showErrors = page({
  operationId: 'showErrors',
  route: 'GET /{organizationId}/{projectId}/errors',
  needs: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ ...errorsQuery, ...LIST_RANGE }).omit({ group_by: true, metric: true, top_n: true }),
  async show({ visit, caller, query: sentQuery, at }, services) {
    const query = addDefaultPeriod({ ...sentQuery, ...FIXED_PARAMETERS }, services.now());
    if (query.format === 'csv') return buildErrorsFile(await readAllErrors(services, { ...caller, query }), query);
    const { date_start: from, date_end: to } = query;
    const previousQuery = { ...query, date_start: from - (to - from), date_end: from };
    const [errors, before, isBehind, issuesBy] = await Promise.all([
      readErrors(services, { ...caller, query }),
      readAllErrors(services, { ...caller, query: previousQuery }),
      hasRunsBeingAdded(services, visit),
      readKnownIssues(services, visit),
    ]);
    const props = {
      at,
      query,
      errors,
      before,
      issuesBy,
      period: toShownPeriod(query),
      now: services.now(),
    };
    return { isBehind, title: 'Errors', tab: 'Errors', body: <ErrorsPage {...props} /> };
  },
});

const text = z.string().nullable().default(null);

export const showError = page({
  operationId: 'showError',
  route: 'GET /{organizationId}/{projectId}/errors/one',
  needs: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({
    ...rangeQuery,
    ...LIST_RANGE,
    message: z.string().default(''),
    target: text,
    action: text,
    category: text,
  }),
  async show({ visit, caller, query: sentQuery, at }, services) {
    const query = addDefaultPeriod(sentQuery, services.now());
    const [cluster, isBehind, issuesBy] = await Promise.all([
      readError(services, { ...caller, query }),
      hasRunsBeingAdded(services, visit),
      readKnownIssues(services, visit),
    ]);
    const newestTest = cluster.tests.toSorted((one, other) => other.last.createdAt - one.last.createdAt)[0];
    const runErrors = newestTest
      ? await readErrorsInRun(services, { ...caller, ...newestTest, ...newestTest.last })
      : [];
    // The same test may have failed with a different error in another group of the run.
    const latestFailure = runErrors.find(({ error }) => hasErrorKeys(error, cluster));
    const reading = latestFailure && readShownError(latestFailure.error);
    const name = formatErrorTitle(cluster);
    const firstRun = await services.table.get(runs, { ...caller, runId: cluster.firstRunId });
    return {
      title: name,
      isBehind,
      tab: 'Errors',
      breadcrumbs: [{ name: 'Errors', href: linkToProjectPage(visit, 'errors') }, { name }],
      body: (
        <ErrorPage
          at={at}
          cluster={cluster}
          firstRun={firstRun}
          issues={findErrorIssues(cluster, issuesBy)}
          latest={newestTest && reading && { ...latestFailure, title: newestTest.title, reading }}
          period={toShownPeriod(query)}
          now={services.now()}
        />
      ),
    };
  },
});
