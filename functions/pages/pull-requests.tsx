import * as z from 'zod';
import { presentComparison } from '#shared/context/shown-comparison.ts';
import { notFound } from '#shared/engine/errors.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery } from '#shared/engine/http/pagination.ts';
import { formatRunTabTitle } from '#shared/pages/design/run-outcome.ts';
import { measureRun } from '#shared/pages/runs/duration-note.ts';
import { makeErrorEvidence } from '#shared/pages/runs/evidence.ts';
import { makePictureFinder } from '#shared/pages/runs/failure-picture.tsx';
import { PullRequestPage } from '#shared/pages/runs/pull-request-page.tsx';
import { PullRequestsPage } from '#shared/pages/runs/pull-requests-page.tsx';
import { linkToPullRequests } from '#shared/pages/shell/hrefs.ts';
import { countShownTests } from '#shared/pages/shell/run-totals.ts';
import { page } from '#shared/platform/page.ts';
import { compareIfPossible } from '#shared/results/comparisons/compare-runs.ts';
import { comparisonQuery } from '#shared/results/comparisons/comparison-wire.ts';
import { addKnownIssues, readKnownIssues } from '#shared/results/failures/known-issues.ts';
import { findLastTraces } from '#shared/results/instances/last-traces.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { listPullRequests } from '#shared/results/runs/list-pull-requests.ts';
import { pullRequestsQuery } from '#shared/results/runs/pull-requests-wire.ts';
import { readShownFiles } from '#shared/results/runs/read-run.ts';
import { readRunChanges } from '#shared/results/runs/run-changes.ts';
import { readQuarantines } from '#shared/rules/quarantines.ts';

const PullRequestsQuery = z.object({ ...cursorQuery(PAGE_LIMITS.cursorPage), ...pullRequestsQuery });

export const showPullRequests = page({
  operationId: 'showPullRequests',
  route: 'GET /{organizationId}/{projectId}/pulls',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  query: PullRequestsQuery,
  async show({ visit, caller, query, at }, services) {
    const result = await listPullRequests(services, { ...caller, query });
    const items = result.data.flatMap(({ runs: [newestRun] }) => newestRun ?? []);
    const branch = visit.project.defaultBranchName;
    const changes = await readRunChanges(services, { organizationId: visit.organizationId, branch, items });
    const props = { visit, at, changes, pullRequests: result.data, paging: { query, ...result }, now: services.now() };
    return { title: 'Pull requests', tab: 'Pull requests', body: <PullRequestsPage {...props} /> };
  },
});

const maximumRuns = RESULT_LIMITS.runsOfPullRequest.maximum;
export const showPullRequest = page({
  operationId: 'showPullRequest',
  route: 'GET /{organizationId}/{projectId}/pulls/{pullRequestId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, path: { pullRequestId } }, services) {
    const { organizationId, projectId, project } = visit;
    const query = PullRequestsQuery.parse({ pr_id: pullRequestId, runs_per_pr: maximumRuns, limit: 1 });
    const [pullRequest] = (await listPullRequests(services, { organizationId, projectId, query })).data;
    const [newestRun, ...earlierRuns] = pullRequest?.runs ?? [];
    if (!pullRequest || !newestRun) throw notFound('Pull request');
    const room = RESULT_LIMITS.comparison.page.default;
    const request = {
      organizationId,
      runId: newestRun.runId,
      project,
      query: z.object(comparisonQuery).parse({}),
      room,
    };
    const {
      comparison,
      baseRun,
      errorsOf,
      details: [issuesBy, shownFiles],
    } = await compareIfPossible(services, request, (run) =>
      Promise.all([readKnownIssues(services, run), readShownFiles(services, run)]),
    );
    const sections = comparison.sections.map((section) => addKnownIssues(section, issuesBy));
    const tests = sections.flatMap((section) => (section.verdict === 'fixed' ? [] : section.tests));
    const [traceOf, quarantineOf] = await Promise.all([
      findLastTraces(services, { organizationId, shown: shownFiles, tests }),
      readQuarantines(services, visit, tests),
    ]);
    const props = {
      visit,
      id: pullRequest.id,
      title: pullRequest.title,
      runs: [newestRun, ...earlierRuns] as const,
      maximumRuns,
      comparison: presentComparison({ ...comparison, sections }),
      base: baseRun && measureRun(baseRun),
      evidence: { ...makeErrorEvidence(errorsOf), pictureOf: makePictureFinder(shownFiles), traceOf, quarantineOf },
      now: services.now(),
    };
    const name = pullRequest.title ?? `Pull request ${pullRequest.id}`;
    const title = `${formatRunTabTitle(newestRun, countShownTests(newestRun))} · ${name}`;
    const breadcrumbs = [{ name: 'Pull requests', href: linkToPullRequests(visit) }, { name: `#${pullRequest.id}` }];
    return { title, tab: 'Pull requests', breadcrumbs, body: <PullRequestPage {...props} /> };
  },
});
