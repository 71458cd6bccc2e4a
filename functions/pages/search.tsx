import * as z from 'zod';
import { may } from '#shared/access/may.ts';
import { errorsQuery } from '#shared/analytics/metrics/errors-wire.ts';
import { readErrors } from '#shared/analytics/metrics/read-errors.ts';
import { hasRunsBeingAdded } from '#shared/analytics/metrics/runs-being-added.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { SearchPage } from '#shared/pages/home/search-page.tsx';
import { addDefaultPeriod, LIST_RANGE } from '#shared/pages/shell/list-period.ts';
import { page } from '#shared/platform/page.ts';
import { listProjects } from '#shared/results/runs/list-projects.ts';
import { findPullRequest } from '#shared/search/find-pull-request.ts';
import { SEARCH_LIMITS } from '#shared/search/limits.ts';
import { searchKnownProject } from '#shared/search/search-project.ts';
import { searchText } from '#shared/search/search-wire.ts';
import type { Services } from '#shared/services.ts';

const ErrorsQuery = z.object({ ...errorsQuery, ...LIST_RANGE });

/** The most frequent errors of the last days. People search for what a red run says. */
async function searchErrors(services: Pick<Services, 'table' | 'now'>, scope: ProjectKey, text: string) {
  const sentQuery = ErrorsQuery.parse({ error_message: text, limit: SEARCH_LIMITS.resultsOfProject });
  const query = addDefaultPeriod(sentQuery, services.now());
  return (await readErrors(services, { ...scope, query })).list;
}

export const showSearch = page({
  operationId: 'showSearch',
  route: 'GET /{organizationId}/{projectId}/search',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ q: searchText.optional() }),
  async show({ visit, caller, query: { q } }, services) {
    const now = services.now();
    if (!q) return { title: 'Search', body: <SearchPage visit={visit} text="" resultsByProject={[]} now={now} /> };
    const query = { q, limit: SEARCH_LIMITS.results.default };
    const [results, pullRequest, errors, isBehind] = await Promise.all([
      searchKnownProject(services, { ...caller, query }),
      findPullRequest(services, caller, q),
      may(visit.person, 'analytics:read') ? searchErrors(services, caller, q) : [],
      hasRunsBeingAdded(services, visit),
    ]);
    const resultsByProject = [{ project: visit.project, pullRequest, results }];
    const body = <SearchPage {...{ visit, text: q, resultsByProject, errors, now }} />;
    return { isBehind, title: `Search: ${q}`, body };
  },
});

export const showSearchOfProjects = page({
  operationId: 'showSearchOfProjects',
  route: 'GET /{organizationId}/search',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ q: searchText.optional() }),
  async show({ visit, query: { q: text = '' } }, services) {
    const { organizationId } = visit;
    const projects = await listProjects(services, { organizationId, query: { limit: SEARCH_LIMITS.projects } });
    const query = { q: text, limit: SEARCH_LIMITS.resultsOfProject };
    const searchedProjects = text === '' ? [] : projects.data;
    const resultsByProject = await mapConcurrently(searchedProjects, async (project) => {
      const { projectId } = project;
      const [results, pullRequest] = await Promise.all([
        searchKnownProject(services, { organizationId, projectId, query }),
        findPullRequest(services, { organizationId, projectId }, text),
      ]);
      return { project, pullRequest, results };
    });
    const lowerText = text.toLowerCase();
    const props = {
      visit,
      text,
      resultsByProject,
      projects: projects.data.filter(({ name }) => name.toLowerCase().includes(lowerText)),
      isPartial: projects.has_more,
      now: services.now(),
    };
    return {
      title: text === '' ? 'Search' : `Search: ${text}`,
      body: <SearchPage {...props} />,
    };
  },
});
