import * as z from 'zod';
import { may } from '#shared/access/may.ts';
import type { ProjectSummary } from '#shared/analytics/metrics/project-summary.ts';
import { readProjectSummaries } from '#shared/analytics/metrics/read-summaries.ts';
import { hasAnyProjectRunsBeingAdded } from '#shared/analytics/metrics/runs-being-added.ts';
import { presentTestsInLines } from '#shared/context/shown-comparison.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery } from '#shared/engine/http/pagination.ts';
import { type FailingProject, ProjectsPage } from '#shared/pages/home/projects-page.tsx';
import { addDefaultPeriod, toShownPeriod } from '#shared/pages/shell/list-period.ts';
import { page } from '#shared/platform/page.ts';
import { readFailedTests } from '#shared/results/failed-tests.ts';
import { listActiveProjects, type ProjectWithRuns, readLatestRuns } from '#shared/results/latest-runs.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { listProjects } from '#shared/results/list-projects.ts';
import type { Services } from '#shared/services.ts';

export const handler = page({
  operationId: 'showProjects',
  route: 'GET /{organizationId}',
  needs: 'projects:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object(cursorQuery(PAGE_LIMITS.cursorPage)),
  async show({ visit, query }, services) {
    const { organizationId } = visit;
    const { data, has_more } = await listProjects(services, { organizationId, query });
    const projects = await readLatestRuns(services, { organizationId, projects: data });
    const period = toShownPeriod(addDefaultPeriod({}, services.now()));
    const [summaries, isBehind] = may(visit.person, 'analytics:read')
      ? await Promise.all([
          readProjectSummaries(services, { organizationId, projects: data, period }),
          hasAnyProjectRunsBeingAdded(services, {
            organizationId,
            projects: listActiveProjects(projects, services.now()),
          }),
        ])
      : [undefined, false];
    const failingProjects = await listFailingProjects(services, organizationId, data, summaries);
    const props = {
      visit,
      projects,
      summaries,
      failing: failingProjects,
      paging: { query, data, has_more },
      now: services.now(),
    };
    const body = <ProjectsPage {...props} />;
    return { title: visit.organizationName, tab: 'Projects', body, isBehind };
  },
});

/** Projects whose default branch fails, the most failures first. Only the first few have some of their failed tests. */
async function listFailingProjects(
  services: Services,
  organizationId: string,
  projects: readonly ProjectWithRuns['project'][],
  summaries: ReadonlyMap<string, ProjectSummary> | undefined,
): Promise<FailingProject[]> {
  const { attention } = RESULT_LIMITS;
  const failingProjects = projects
    .flatMap((project) => {
      const last = summaries?.get(project.projectId)?.last;
      return last && last.failures > 0 ? [{ project, last }] : [];
    })
    .toSorted((one, other) => other.last.failures - one.last.failures);
  const projectsWithTests = await mapConcurrently(
    failingProjects.slice(0, attention.projects),
    async ({ project, last }) => {
      const request = {
        organizationId,
        runId: last.runId,
        branch: project.defaultBranchName,
        limit: attention.results,
      };
      return { project, last, tests: presentTestsInLines(await readFailedTests(services, request)) };
    },
  );
  return [...projectsWithTests, ...failingProjects.slice(attention.projects).map((one) => ({ ...one, tests: [] }))];
}
