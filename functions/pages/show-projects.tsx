import * as z from 'zod';
import { may } from '#shared/access/may.ts';
import { readProjectSummaries } from '#shared/analytics/metrics/read-summaries.ts';
import { anyRunsAreBeingAdded } from '#shared/analytics/metrics/runs-being-added.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery } from '#shared/engine/http/pagination.ts';
import { ProjectsPage } from '#shared/pages/home/projects-page.tsx';
import { periodOfList, withPeriod } from '#shared/pages/shell/list-period.ts';
import { page } from '#shared/platform/page.ts';
import { latestRuns, withRunsOfLastMinutes } from '#shared/results/latest-runs.ts';
import { listProjects } from '#shared/results/list-projects.ts';

export const handler = page({
  operationId: 'showProjects',
  route: 'GET /{organizationId}',
  needs: 'projects:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object(cursorQuery(PAGE_LIMITS.cursorPage)),
  async show({ visit, query }, services) {
    const { organizationId } = visit;
    const { data, has_more: hasMore } = await listProjects(services, { organizationId, query });
    const projects = await latestRuns(services, { organizationId, projects: data });
    const period = periodOfList(withPeriod({}, services.now()));
    const [summaries, isBehind] = may(visit.person, 'analytics:read')
      ? await Promise.all([
          readProjectSummaries(services, { organizationId, projects: data, period }),
          anyRunsAreBeingAdded(services, {
            organizationId,
            projects: withRunsOfLastMinutes(projects, services.now()),
          }),
        ])
      : [undefined, false];
    const props = { visit, projects, summaries, paging: { query, data, hasMore }, now: services.now() };
    const body = <ProjectsPage {...props} />;
    return { title: visit.organizationName, tab: 'Projects', body, isBehind };
  },
});
