/** §4.4.1 Lists all projects of an organization, oldest first. */
import {
  type ProjectRecord,
  projects,
  projectsOfOrganization,
  projectsSpan,
} from '#shared/model/organizations/project.ts';
import type { CoreServices } from '#shared/services.ts';
import { authorizeRead, type OrganizationRequest } from './standing.ts';

export async function listOrganizationProjects(
  services: CoreServices,
  request: OrganizationRequest,
): Promise<ProjectRecord[]> {
  await authorizeRead(services, request, 'projects:read');
  const { table } = services;
  const pointers = await table.queryAll(projectsOfOrganization, projectsSpan(request), { consistent: true });
  const found = await table.getMany(projects, pointers, { consistent: true });
  return found.flatMap((project) => project ?? []);
}
