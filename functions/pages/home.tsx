import * as z from 'zod';
import { may } from '#shared/access/may.ts';
import type { ProjectSummary } from '#shared/analytics/metrics/project-summary.ts';
import { readProjectSummaries } from '#shared/analytics/metrics/read-summaries.ts';
import { hasAnyProjectRunsBeingAdded } from '#shared/analytics/metrics/runs-being-added.ts';
import { presentTestsInLines } from '#shared/context/shown-comparison.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery } from '#shared/engine/http/pagination.ts';
import { listReachableOrganizations } from '#shared/organizations/own-organizations.ts';
import { OrganizationList, WelcomePage } from '#shared/pages/home/home-page.tsx';
import type { FailingProject, SlowRun } from '#shared/pages/home/needs-attention.tsx';
import { ProjectsPage } from '#shared/pages/home/projects-page.tsx';
import { linkToOrganization } from '#shared/pages/shell/hrefs.ts';
import { addDefaultPeriod, toShownPeriod } from '#shared/pages/shell/list-period.ts';
import { SLOW_TIMES } from '#shared/pages/shell/run-row.tsx';
import { page } from '#shared/platform/page.ts';
import { readFailedTests } from '#shared/results/failures/failed-tests.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { listActiveProjects, type ProjectWithRuns, readLatestRuns } from '#shared/results/runs/latest-runs.ts';
import { listProjects } from '#shared/results/runs/list-projects.ts';
import { readTimesUsual } from '#shared/results/runs/run-changes.ts';
import type { Services } from '#shared/services.ts';

export const showHome = page({
  operationId: 'showHome',
  route: 'GET /',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit }, services) {
    if (!('account' in visit)) return { title: 'Test results', body: <WelcomePage visit={visit} /> };
    const organizations = await listReachableOrganizations(services, visit.person);
    const [only, ...more] = organizations;
    if (only && more.length === 0) return redirect(linkToOrganization({ ...visit, ...only }));
    return { title: 'Organizations', body: <OrganizationList visit={visit} organizations={organizations} /> };
  },
});

export const showProjects = page({
  operationId: 'showProjects',
  route: 'GET /{organizationId}',
  needs: 'projects:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object(cursorQuery(PAGE_LIMITS.cursorPage)),
  async show({ visit, query }, services) {
    const { organizationId } = visit;
    const { data, has_more } = await listProjects(services, { organizationId, query });
    const projects = await readLatestRuns(services, { organizationId, projects: data });
    const livingProjects = projects.filter(({ project }) => project.deletesAt === undefined);
    const period = toShownPeriod(addDefaultPeriod({}, services.now()));
    const mayAnalyse = may(visit.person, 'analytics:read');
    const activeProjects = listActiveProjects(livingProjects, services.now());
    const analysedProjects = livingProjects.map(({ project }) => project);
    const [summaries, isBehind] = await Promise.all([
      mayAnalyse ? readProjectSummaries(services, { organizationId, projects: analysedProjects, period }) : undefined,
      mayAnalyse && hasAnyProjectRunsBeingAdded(services, { organizationId, projects: activeProjects }),
    ]);
    const [failingProjects, slowRuns] = await Promise.all([
      listFailingProjects(services, { organizationId, projects: analysedProjects, summaries }),
      mayAnalyse ? listSlowRuns(services, organizationId, livingProjects) : [],
    ]);
    const props = {
      visit,
      projects,
      summaries,
      failing: failingProjects,
      slow: slowRuns,
      paging: { query, data, has_more },
      now: services.now(),
    };
    const body = <ProjectsPage {...props} />;
    return { title: `Overview of ${visit.organizationName}`, tab: 'Overview', body, isBehind };
  },
});

interface SummarizedProjects {
  readonly organizationId: string;
  readonly projects: readonly ProjectWithRuns['project'][];
  /** By project id. Absent for roles that may not see analytics. */
  readonly summaries: ReadonlyMap<string, ProjectSummary> | undefined;
}

/** Projects whose default branch fails, the most failures first. Only the first few have some of their failed tests. */
async function listFailingProjects(
  services: Services,
  { organizationId, projects, summaries }: SummarizedProjects,
): Promise<FailingProject[]> {
  const { attention } = RESULT_LIMITS;
  const failingProjects = projects
    .flatMap((project) => {
      const last = summaries?.get(project.projectId)?.last;
      return last && last.failures > 0 ? [{ project, last }] : [];
    })
    .toSorted((one, other) => other.last.failures - one.last.failures);
  const firstProjects = failingProjects.slice(0, attention.projects);
  const otherProjects = failingProjects.slice(attention.projects);
  const projectsWithTests = await mapConcurrently(firstProjects, async ({ project, last }) => {
    const branch = project.defaultBranchName;
    const request = { organizationId, runId: last.runId, branch, limit: attention.results };
    return { project, last, tests: presentTestsInLines(await readFailedTests(services, request)) };
  });
  return [...projectsWithTests, ...otherProjects.map((one) => ({ ...one, tests: [] }))];
}

/** The slow ones among the latest complete runs of the default branches, as the lists of runs say it. */
async function listSlowRuns(
  services: Services,
  organizationId: string,
  projects: readonly ProjectWithRuns[],
): Promise<SlowRun[]> {
  const slowRuns = await mapConcurrently(projects, async ({ project, runs }): Promise<SlowRun[]> => {
    const branch = project.defaultBranchName;
    const run = runs.find(
      ({ completionState, meta }) => completionState === 'COMPLETE' && meta.commit.branch === branch,
    );
    if (!run) return [];
    const times = await readTimesUsual(services, { organizationId, branch, item: run });
    return times !== undefined && times >= SLOW_TIMES ? [{ project, run, times }] : [];
  });
  return slowRuns.flat();
}
