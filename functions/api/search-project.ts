import * as z from 'zod';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
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
    'An ended run can be found by its build, commit, branch, author or pull request, or by the first line of its commit message. A test or spec file can be found once a run with it has ended.',
  query: z.object(searchQuery),
  response: single(SearchResults),
  refuses: ['notFound'],
  tool: {
    description:
      'Use it when you know words of a title, a file name, a build or a commit, but no id. Needs `projectId` from list_projects.',
    defaults: { limit: 5 },
    note: ({ result: { data } }) =>
      data.tests.data.length + data.specFiles.data.length + data.runs.data.length > 0
        ? undefined
        : 'Nothing contains these words. For the text of an error call list_errors with `error_message`, for branches and tags call list_terms. For runs in progress, which are not searched, call list_runs.',
    next: 'get_test_results with `signature`, get_run with `runId`.',
  },
  async handle({ caller, query }, services) {
    return wrapData(await searchProject(services, { ...caller, query }));
  },
});
