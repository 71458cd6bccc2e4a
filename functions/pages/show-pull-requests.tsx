import * as z from 'zod';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery } from '#shared/engine/http/pagination.ts';
import { PullRequestsPage } from '#shared/pages/runs/pull-requests-page.tsx';
import { page } from '#shared/platform/page.ts';
import { listPullRequests } from '#shared/results/list-pull-requests.ts';
import { pullRequestsQuery } from '#shared/results/pull-requests-wire.ts';

export const handler = page({
  operationId: 'showPullRequests',
  route: 'GET /{organizationId}/{projectId}/pulls',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ ...cursorQuery(PAGE_LIMITS.cursorPage), ...pullRequestsQuery }),
  async show({ visit, caller, query, at }, services) {
    const result = await listPullRequests(services, { ...caller, query });
    const props = { visit, at, pullRequests: result.data, paging: { query, ...result }, now: services.now() };
    return { title: 'Pull requests', tab: 'Pull requests', body: <PullRequestsPage {...props} /> };
  },
});
