import * as z from 'zod';
import { paginateByOffset } from '#shared/analytics/metrics/offset-page.ts';
import { listIssues } from '#shared/issues/list-issues.ts';
import { ISSUE_STATES, type IssueState, type KnownIssue } from '#shared/model/issues/known-issue.ts';
import { IssuesPage } from '#shared/pages/issues/issues-page.tsx';
import { PAGE_ROWS } from '#shared/pages/shell/limits.ts';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showIssues',
  route: 'GET /{organizationId}/{projectId}/issues',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ state: z.enum(ISSUE_STATES).optional(), page: z.int().min(0).max(10_000).default(0) }),
  async show({ caller, query: { state, page: number }, at, refused }, services) {
    const all = await listIssues(services, caller);
    const matchingIssues = state === undefined ? all : all.filter((issue) => issue.state === state);
    const issuePage = paginateByOffset(matchingIssues, { limit: PAGE_ROWS, page: number });
    const props = {
      at,
      state,
      page: number,
      found: issuePage,
      counts: countIssuesByState(all),
      now: services.now(),
      refused,
    };
    return { title: 'Issues', tab: 'Issues', body: <IssuesPage {...props} /> };
  },
});

function countIssuesByState(all: readonly KnownIssue[]): Record<IssueState, number> {
  const counts = { open: 0, inProgress: 0, done: 0 };
  for (const { state } of all) counts[state] += 1;
  return counts;
}
