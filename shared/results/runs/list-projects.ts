/** §4.4.1 Projects of an organization, newest first. */
import type * as z from 'zod';
import { makeRowReader, planReads } from '#shared/engine/http/page-source.ts';
import { type PageQuery, parseWalk, readPage } from '#shared/engine/http/pagination.ts';
import {
  getProjectsSpan,
  type Project,
  presentProject,
  projects,
  projectsOfOrganization,
} from '#shared/model/organizations/project.ts';
import type { Services } from '#shared/services.ts';

export async function listProjects(
  services: Services,
  { organizationId, query }: { organizationId: string; query: PageQuery },
): Promise<{ has_more: boolean; data: (z.infer<typeof Project> & { cursor: string })[] }> {
  const { table } = services;
  const cursors = await services.cursors(organizationId, { list: 'projects', filters: {} });
  const source = {
    span: getProjectsSpan({ organizationId }),
    reads: planReads(query.limit, { isFiltered: false, most: query.limit + 1 }),
    read: makeRowReader(table, projectsOfOrganization),
    select: (rows: readonly { organizationId: string; projectId: string }[]) => table.getMany(projects, rows),
  };
  const page = await readPage(source, query.limit, parseWalk(query, cursors));
  const data = page.items.map(({ position, item }) => ({
    ...presentProject(item, services.defaultRetention),
    cursor: cursors.seal(position),
  }));
  return { has_more: page.hasMore, data };
}
