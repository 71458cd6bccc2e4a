import * as z from 'zod';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery } from '#shared/engine/http/pagination.ts';
import { ProjectsPage } from '#shared/pages/projects-page.tsx';
import { page } from '#shared/platform/page.ts';
import { latestRuns } from '#shared/results/latest-runs.ts';
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
    const body = (
      <ProjectsPage visit={visit} projects={projects} paging={{ query, data, hasMore }} now={services.now()} />
    );
    return { title: visit.organizationName, tab: 'Projects', body };
  },
});
