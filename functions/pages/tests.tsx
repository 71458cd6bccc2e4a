import * as z from 'zod';
import { may } from '#shared/access/may.ts';
import { buildTestsFile } from '#shared/analytics/metrics/csv-files.ts';
import { hasChange, isDeltaOrder } from '#shared/analytics/metrics/list-tests.ts';
import { paginateByOffset } from '#shared/analytics/metrics/offset-page.ts';
import { readTest } from '#shared/analytics/metrics/read-test.ts';
import { readTestsInTime } from '#shared/analytics/metrics/read-tests.ts';
import { hasRunsBeingAdded } from '#shared/analytics/metrics/runs-being-added.ts';
import { TestOrder, testsQuery } from '#shared/analytics/metrics/tests-wire.ts';
import { instant } from '#shared/engine/http/instant.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery } from '#shared/engine/http/pagination.ts';
import { TestsPage, toNamedTest } from '#shared/pages/analytics/tests-page.tsx';
import { linkToProjectPage } from '#shared/pages/shell/hrefs.ts';
import { LEAST_EXECUTIONS } from '#shared/pages/shell/limits.ts';
import { listShorterPeriods, type ShownPeriod } from '#shared/pages/shell/list-filters.tsx';
import { addDefaultPeriod, LIST_RANGE, toShownPeriod } from '#shared/pages/shell/list-period.ts';
import { TestPage } from '#shared/pages/tests/test-page.tsx';
import { page } from '#shared/platform/page.ts';
import { listFailingGroups } from '#shared/results/executions/failing-since.ts';
import { readLatestExecutions } from '#shared/results/executions/latest-executions.ts';
import { listTestResults } from '#shared/results/executions/list-test-results.ts';
import { listTestIssues } from '#shared/results/failures/known-issues.ts';
import { filterQuery } from '#shared/results/filter-wire.ts';
import { requireRunOfProject } from '#shared/results/runs/run-of-project.ts';
import { listTestQuarantines, readQuarantines } from '#shared/rules/quarantines.ts';

export const showTests = page({
  operationId: 'showTests',
  route: 'GET /{organizationId}/{projectId}/tests',
  needs: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({
    ...testsQuery,
    ...LIST_RANGE,
    order: TestOrder.default('failRateXSamples'),
    min_executions: testsQuery.min_executions.unwrap().optional(),
  }),
  async show({ visit, caller, query: sentQuery, at }, services) {
    const { min_executions: chosenLeast, ...range } = addDefaultPeriod(sentQuery, services.now());
    const readRows = async (period: ShownPeriod) => {
      const dates = { date_start: period.from, date_end: period.to };
      const request = { ...caller, query: { ...range, ...dates, min_executions: chosenLeast ?? 0 } };
      const { rows, trendsOf } = await readTestsInTime(services, request);
      const comparableRows = isDeltaOrder(range.order) ? rows.filter((row) => hasChange(range.order, row)) : rows;
      return { allRows: comparableRows, hasOnlyNewTests: rows.length > 0 && comparableRows.length === 0, trendsOf };
    };
    const period = toShownPeriod(range);
    const [{ allRows, hasOnlyNewTests, trendsOf }, isBehind] = await Promise.all([
      readRows(period),
      hasRunsBeingAdded(services, visit),
    ]);
    const provenRows = allRows.filter(({ metrics }) => metrics.executions >= LEAST_EXECUTIONS);
    // On the first days of a project, and if somebody searches for a rare test, all of them are better than none.
    const areAllRare = chosenLeast === undefined && provenRows.length === 0 && allRows.length > 0;
    const rows = chosenLeast !== undefined || areAllRare ? allRows : provenRows;
    const defaultLeast = areAllRare ? 0 : LEAST_EXECUTIONS;
    const query = { ...range, min_executions: chosenLeast ?? defaultLeast };
    if (query.format === 'csv') return buildTestsFile(rows);
    const tests = paginateByOffset(rows, query);
    const totalTime = rows.reduce((sum, { metrics }) => sum + metrics.durationVolume, 0);
    const hasRows = async (shorter: ShownPeriod) => (await readRows(shorter)).allRows.length > 0;
    const props = {
      at,
      query,
      tests,
      areAllRare,
      totalTime,
      hasOnlyNewTests,
      comparablePeriod: hasOnlyNewTests ? await findComparablePeriod(period, hasRows) : undefined,
      trends: trendsOf(tests.list),
      quarantineOf: await readQuarantines(services, visit, tests.list.map(toNamedTest)),
      period,
      now: services.now(),
    };
    return { isBehind, title: 'Tests', tab: 'Tests', body: <TestsPage {...props} /> };
  },
});

/** The longest of the shorter periods with the same end in which `hasRows` holds. */
async function findComparablePeriod(
  period: ShownPeriod,
  hasRows: (period: ShownPeriod) => Promise<boolean>,
): Promise<ShownPeriod | undefined> {
  for (const shorter of listShorterPeriods(period)) if (await hasRows(shorter)) return shorter;
  return undefined;
}

const { branches, status, flaky } = filterQuery;

export const showTest = page({
  operationId: 'showTest',
  route: 'GET /{organizationId}/{projectId}/tests/{signature}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({
    ...cursorQuery({ ...PAGE_LIMITS.cursorPage, default: PAGE_LIMITS.cursorPage.maximum }),
    branches,
    status,
    flaky,
    date_start: instant.optional(),
    date_end: instant.optional(),
  }),
  async show({ visit, caller, path: { signature }, query, at }, services) {
    const range = addDefaultPeriod(query, services.now());
    const [result, latestResults, issues] = await Promise.all([
      listTestResults(services, { ...caller, signature, query: range }),
      readLatestExecutions(services, { ...caller, signature }),
      listTestIssues(services, { ...caller, signature }),
    ]);
    for (const execution of [...result.data, ...latestResults.executions]) requireRunOfProject(execution, visit);
    // What the page says about the test itself does not depend on its filters and its period.
    const newestTest = latestResults.executions[0] ?? result.data[0];
    const paging = { query, ...result };
    const brokenGroups = listFailingGroups(latestResults, visit.project.defaultBranchName);
    const mayAnalyse = may(visit.person, 'analytics:read');
    const period = toShownPeriod(range);
    const metrics = mayAnalyse ? await readTest(services, { ...caller, signature, period }) : undefined;
    const titlePath = newestTest?.title ?? metrics?.titlePath ?? ['Unknown test'];
    const title = titlePath.join(' › ');
    const quarantines = may(visit.person, 'actions:read')
      ? await listTestQuarantines(services, visit, newestTest)
      : undefined;
    const props = {
      visit,
      at,
      signature,
      title: titlePath,
      period,
      paging,
      executions: result.data,
      newest: newestTest,
      failing: brokenGroups,
      metrics,
      quarantines,
      issues,
      now: services.now(),
    };
    return {
      title,
      tab: mayAnalyse ? 'Tests' : 'Runs',
      breadcrumbs: [
        mayAnalyse ? { name: 'Tests', href: linkToProjectPage(visit, 'tests') } : { name: 'Tests' },
        { name: title },
      ],
      body: <TestPage {...props} />,
    };
  },
});
