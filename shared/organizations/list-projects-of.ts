/** All projects of an organization, oldest first, for who operates it. */
import { type ProjectRecord, projects, projectsOfOrganization, projectsSpan } from '../resources/project.ts';
import type { Administration } from '../services.ts';

export async function listProjectsOf(
  { table }: Administration,
  of: { organizationId: string },
): Promise<ProjectRecord[]> {
  const pointers = await table.queryAll(projectsOfOrganization, projectsSpan(of), { consistent: true });
  const found = await table.getMany(projects, pointers, { consistent: true });
  return found.flatMap((project) => project ?? []);
}
