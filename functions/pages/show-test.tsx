import * as z from 'zod';
import { may } from '#shared/access/may.ts';
import { readTest } from '#shared/analytics/metrics/read-test.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery, instant } from '#shared/engine/http/pagination.ts';
import { linkToProjectPage } from '#shared/pages/shell/hrefs.ts';
import { HISTORY_DAYS } from '#shared/pages/shell/limits.ts';
import { addDefaultPeriod, DAY_MILLISECONDS, toShownPeriod } from '#shared/pages/shell/list-period.ts';
import { TestPage } from '#shared/pages/tests/test-page.tsx';
import { page } from '#shared/platform/page.ts';
import { listFailingGroups } from '#shared/results/failing-since.ts';
import { filterQuery } from '#shared/results/filter-wire.ts';
import { listTestIssues } from '#shared/results/known-issues.ts';
import { readLatestExecutions } from '#shared/results/latest-executions.ts';
import { listTestResults } from '#shared/results/list-test-results.ts';
import { requireRunOfProject } from '#shared/results/run-of-project.ts';
import { listTestQuarantines } from '#shared/rules/quarantines.ts';

const { branches, status, flaky } = filterQuery;

export const handler = page({
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
    const { date_end = services.now() + 1, date_start = date_end - HISTORY_DAYS * DAY_MILLISECONDS } = query;
    const [result, latestResults, issues] = await Promise.all([
      listTestResults(services, { ...caller, signature, query: { ...query, date_start, date_end } }),
      readLatestExecutions(services, { ...caller, signature }),
      listTestIssues(services, { ...caller, signature }),
    ]);
    for (const execution of [...result.data, ...latestResults.executions]) requireRunOfProject(execution, visit);
    const title = result.data[0]?.title.join(' › ') ?? 'Test';
    const paging = { query, ...result };
    const period = { start: date_start, end: date_end };
    const brokenGroups = listFailingGroups(latestResults, visit.project.defaultBranchName);
    const mayAnalyse = may(visit.person, 'analytics:read');
    const days = toShownPeriod(addDefaultPeriod(query, services.now()));
    const metrics = mayAnalyse ? await readTest(services, { ...caller, signature, period: days }) : undefined;
    const quarantines = may(visit.person, 'actions:read')
      ? await listTestQuarantines(services, visit, result.data[0])
      : undefined;
    const of = { visit, at, signature, paging, period, title };
    const props = {
      ...of,
      executions: result.data,
      failing: brokenGroups,
      days,
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
