import * as z from 'zod';
import { SearchPage } from '#shared/pages/home/search-page.tsx';
import { page } from '#shared/platform/page.ts';
import { SEARCH_LIMITS } from '#shared/search/limits.ts';
import { searchKnownProject } from '#shared/search/search-project.ts';
import { searchText } from '#shared/search/search-wire.ts';

export const handler = page({
  operationId: 'showSearch',
  route: 'GET /{organizationId}/{projectId}/search',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ q: searchText.optional() }),
  async show({ visit, query: { q }, queryProblem }, services) {
    const { organizationId, projectId, project } = visit;
    const query = { q: q ?? '', limit: SEARCH_LIMITS.results.default };
    const found = q
      ? [{ project, results: await searchKnownProject(services, { organizationId, projectId, query }) }]
      : [];
    const body = <SearchPage visit={visit} text={q ?? ''} found={found} now={services.now()} />;
    return { title: q ? `Search: ${q}` : 'Search', body, ...(queryProblem && { queryProblem }) };
  },
});
