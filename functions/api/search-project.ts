import * as z from 'zod';
import { ok, single } from '#shared/engine/http/envelope.ts';
import { id } from '#shared/model/names.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { searchProject } from '#shared/search/search-project.ts';
import { SearchResults, searchQuery } from '#shared/search/search-wire.ts';

export const handler = endpoint({
  operationId: 'searchProject',
  route: 'GET /projects/{projectId}/search',
  permission: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'Find tests, spec files and runs of a project by words',
  description:
    'Runs are found by their build, commit, branch, author, pull request and the first line of their commit message, once they have ended. Test and spec file names are known after the first run with them has ended.',
  path: { projectId: id },
  query: z.object(searchQuery),
  response: single(SearchResults),
  refuses: ['notFound'],
  tool: {
    description:
      'Use it when you know words of a title, a file name, a build or a commit, but no id. Needs `projectId` from list_projects.',
    defaults: { limit: 5 },
    next: 'get_test_results with `signature`, get_run with `runId`.',
  },
  async handle({ actor: { organizationId }, path: { projectId }, query }, services) {
    return ok({ data: await searchProject(services, { organizationId, projectId, query }) });
  },
});
