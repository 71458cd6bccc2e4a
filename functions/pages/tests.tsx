import * as z from 'zod';
import { may } from '#shared/access/may.ts';
import { flakyTestsQuery } from '#shared/analytics/flaky/flaky-wire.ts';
import { FLAKY_ORDERS, readFlakyList } from '#shared/analytics/flaky/read-flaky-list.ts';
import { buildTestsFile } from '#shared/analytics/metrics/csv-files.ts';
import { paginateByOffset } from '#shared/analytics/metrics/offset-page.ts';
import { rangeQuery } from '#shared/analytics/metrics/range-wire.ts';
import { readSpecFile } from '#shared/analytics/metrics/read-spec-file.ts';
import { readSpecFiles } from '#shared/analytics/metrics/read-spec-files.ts';
import { readTest } from '#shared/analytics/metrics/read-test.ts';
import { readTestsInTime } from '#shared/analytics/metrics/read-tests.ts';
import { hasRunsBeingAdded } from '#shared/analytics/metrics/runs-being-added.ts';
import { specFilesQuery } from '#shared/analytics/metrics/spec-files-wire.ts';
import { TestOrder, testsQuery } from '#shared/analytics/metrics/tests-wire.ts';
import { CONTEXT_LIMITS } from '#shared/context/limits.ts';
import { readTestContext } from '#shared/context/read-test.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery, instant } from '#shared/engine/http/pagination.ts';
import { maskObjectWithin } from '#shared/masking/masking.ts';
import { id } from '#shared/model/names.ts';
import { FlakyPage } from '#shared/pages/analytics/flaky-page.tsx';
import { SpecFilePage } from '#shared/pages/analytics/spec-file-page.tsx';
import { SpecFilesPage } from '#shared/pages/analytics/spec-files-page.tsx';
import { TestsPage } from '#shared/pages/analytics/tests-page.tsx';
import { linkToProjectPage, linkToTest } from '#shared/pages/shell/hrefs.ts';
import { LEAST_EXECUTIONS, STRIP_EXECUTIONS } from '#shared/pages/shell/limits.ts';
import { addDefaultPeriod, DAY_MILLISECONDS, LIST_RANGE, toShownPeriod } from '#shared/pages/shell/list-period.ts';
import { BisectPage, type ShownBreak } from '#shared/pages/tests/bisect-page.tsx';
import { listPictures } from '#shared/pages/tests/file-section.tsx';
import { TestPage } from '#shared/pages/tests/test-page.tsx';
import { page } from '#shared/platform/page.ts';
import { listFailingGroups } from '#shared/results/executions/failing-since.ts';
import { type Break, findBreak, listSuspects } from '#shared/results/executions/find-break.ts';
import {
  type LatestExecutions,
  readLatestExecutions,
  type ShownExecution,
} from '#shared/results/executions/latest-executions.ts';
import { listTestResults } from '#shared/results/executions/list-test-results.ts';
import { listTestIssues, readKnownIssues } from '#shared/results/failures/known-issues.ts';
import { filterQuery } from '#shared/results/filter-wire.ts';
import { listTestFiles } from '#shared/results/instances/test-files.ts';
import { listRunsWithTotals } from '#shared/results/runs/list-runs.ts';
import { requireRunOfProject } from '#shared/results/runs/run-of-project.ts';
import { listTestQuarantines } from '#shared/rules/quarantines.ts';
import type { Services } from '#shared/services.ts';

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
  async show({ visit, caller, query: rawQuery, at }, services) {
    const { min_executions: leastExecutions, ...range } = addDefaultPeriod(rawQuery, services.now());
    const [{ rows: allRows, trendsOf }, isBehind] = await Promise.all([
      readTestsInTime(services, { ...caller, query: { ...range, min_executions: leastExecutions ?? 0 } }),
      hasRunsBeingAdded(services, visit),
    ]);
    const provenRows = allRows.filter(({ metrics }) => metrics.executions >= LEAST_EXECUTIONS);
    // On the first days of a project, and if somebody searches for a rare test, all of them are better than none.
    const areAllRare = leastExecutions === undefined && provenRows.length === 0 && allRows.length > 0;
    const rows = leastExecutions === undefined && !areAllRare ? provenRows : allRows;
    const query = { ...range, min_executions: leastExecutions ?? (areAllRare ? 0 : LEAST_EXECUTIONS) };
    if (query.format === 'csv') return buildTestsFile(rows);
    const tests = paginateByOffset(rows, query);
    const totalTime = rows.reduce((sum, { metrics }) => sum + metrics.durationVolume, 0);
    const props = {
      at,
      query,
      tests,
      areAllRare,
      totalTime,
      trends: trendsOf(tests.list),
      period: toShownPeriod(query),
      now: services.now(),
    };
    return { isBehind, title: 'Tests', tab: 'Tests', body: <TestsPage {...props} /> };
  },
});

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
    const of = { visit, at, signature, paging, period, title: titlePath };
    const props = {
      ...of,
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

export const showBisect = page({
  operationId: 'showBisect',
  route: 'GET /{organizationId}/{projectId}/tests/{signature}/bisect',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  query: z.object({ group_id: id.optional() }),
  async show({ visit, caller, path: { signature }, query }, services) {
    const history = await readLatestExecutions(services, { ...caller, signature, limit: STRIP_EXECUTIONS });
    const { executions } = history;
    for (const execution of executions) requireRunOfProject(execution, visit);
    const branch = visit.project.defaultBranchName;
    const executionsOnBranch = executions.filter(({ commit }) => commit.branch === branch);
    const groupIds = [...new Set(executionsOnBranch.map(({ groupId }) => groupId))].sort();
    const groupId =
      query.group_id ?? executionsOnBranch.find(({ status }) => status === 'failed')?.groupId ?? groupIds[0];
    const newestBreak = groupId === undefined ? undefined : findBreak(history, { branch, groupId });
    const title = executions[0]?.title ?? ['Test'];
    return {
      title: `What broke ${title.at(-1)}`,
      tab: may(visit.person, 'analytics:read') ? 'Tests' : 'Runs',
      breadcrumbs: [{ name: title.join(' › '), href: linkToTest(visit, signature) }, { name: 'What broke it' }],
      body: (
        <BisectPage
          {...{ visit, signature, title, groupId, groupIds }}
          spec={executions[0]?.spec}
          executions={executionsOnBranch.filter((one) => one.groupId === groupId)}
          shown={newestBreak && (await readShownBreak(services, caller, { ...newestBreak, executions, branch }))}
        />
      ),
    };
  },
});

/** Runs that are read to find those between the last pass and the first failure. */
const BISECTED_RUNS = 50;

async function readShownBreak(
  services: Services,
  caller: { readonly organizationId: string; readonly projectId: string },
  { executions, branch, ...newestBreak }: Break & Pick<LatestExecutions, 'executions'> & { readonly branch: string },
): Promise<ShownBreak> {
  const { lastGood, firstBad, mayBeEarlier } = newestBreak;
  const runs = listRunsWithTotals(services, {
    ...caller,
    query: {
      limit: BISECTED_RUNS,
      branches: [branch],
      tag_operator: 'AND',
      // Executions are dated when they end, and runs when they begin.
      date_start: Date.parse(lastGood?.createdAt ?? firstBad.createdAt) - DAY_MILLISECONDS,
      date_end: Date.parse(firstBad.createdAt) + 1,
    },
  });
  const [{ data, has_more: hasMore }, goodSide, badSide] = await Promise.all([
    runs,
    lastGood && readSide(services, caller, lastGood),
    readSide(services, caller, firstBad),
  ]);
  return {
    lastGood: goodSide,
    firstBad: badSide,
    mayBeEarlier,
    suspects: listSuspects(newestBreak, data, executions),
    hasMore: hasMore && !data.some(({ runId }) => runId === lastGood?.runId) && lastGood !== undefined,
    remoteOrigin: data.find(({ runId }) => runId === firstBad.runId)?.meta.commit.remoteOrigin ?? null,
  };
}

async function readSide(
  services: Services,
  { organizationId }: { readonly organizationId: string },
  execution: ShownExecution,
) {
  const key = { organizationId, instanceId: execution.instanceId, testId: execution.testId };
  const [unmaskedContext, files] = await Promise.all([
    readTestContext(services, { ...key, attempt: undefined }, 'run'),
    listTestFiles(services, key),
  ]);
  const { shown: context } = maskObjectWithin(unmaskedContext, CONTEXT_LIMITS.maskedCharacters);
  return {
    execution,
    error: context.error,
    screenshot: listPictures(files).findLast(({ type }) => type === 'screenshot'),
  };
}

const { page: number, limit, dir } = testsQuery;
const { state } = flakyTestsQuery;
const FlakyOrders = z.enum(FLAKY_ORDERS);
export const showFlakyTests = page({
  operationId: 'showFlakyTests',
  route: 'GET /{organizationId}/{projectId}/flaky',
  needs: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ ...rangeQuery, ...LIST_RANGE, state, page: number, limit, order: FlakyOrders.default('evidence') }),
  async show({ visit, caller, query: rawQuery, at }, services) {
    const query = addDefaultPeriod(rawQuery, services.now());
    const [flakyTests, isBehind, issuesBy] = await Promise.all([
      readFlakyList(services, { ...caller, query }),
      hasRunsBeingAdded(services, visit),
      readKnownIssues(services, visit),
    ]);
    const props = { at, query, found: flakyTests, issuesBy, period: toShownPeriod(query), now: services.now() };
    return { title: 'Flaky tests', isBehind, tab: 'Flaky', body: <FlakyPage {...props} /> };
  },
});

export const showSpecFiles = page({
  operationId: 'showSpecFiles',
  route: 'GET /{organizationId}/{projectId}/spec-files',
  needs: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ ...specFilesQuery, ...LIST_RANGE }),
  async show({ visit, caller, query: rawQuery, at }, services) {
    const query = addDefaultPeriod(rawQuery, services.now());
    const [specs, isBehind] = await Promise.all([
      readSpecFiles(services, { ...caller, query }),
      hasRunsBeingAdded(services, visit),
    ]);
    return {
      title: 'Spec files',
      isBehind,
      tab: 'Tests',
      breadcrumbs: [{ name: 'Tests', href: linkToProjectPage(visit, 'tests') }, { name: 'Spec files' }],
      body: <SpecFilesPage at={at} query={query} period={toShownPeriod(query)} specs={specs} now={services.now()} />,
    };
  },
});

export const showSpecFile = page({
  operationId: 'showSpecFile',
  route: 'GET /{organizationId}/{projectId}/spec-files/{specSignature}',
  needs: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({
    ...rangeQuery,
    ...LIST_RANGE,
    page: number,
    limit,
    dir,
    order: TestOrder.default('failRateXSamples'),
  }),
  async show({ visit, caller, path: { specSignature }, query: rawQuery, at }, services) {
    const query = addDefaultPeriod(rawQuery, services.now());
    const [specFile, isBehind] = await Promise.all([
      readSpecFile(services, { ...caller, signature: specSignature, query }),
      hasRunsBeingAdded(services, visit),
    ]);
    const name = specFile.file.spec;
    return {
      title: name,
      isBehind,
      tab: 'Tests',
      breadcrumbs: [
        { name: 'Tests', href: linkToProjectPage(visit, 'tests') },
        { name: 'Spec files', href: linkToProjectPage(visit, 'spec-files') },
        { name },
      ],
      body: <SpecFilePage at={at} query={query} period={toShownPeriod(query)} found={specFile} now={services.now()} />,
    };
  },
});
