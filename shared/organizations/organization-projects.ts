/** §4.4.1 Lists all projects of an organization, oldest first. */
import { readListedItems } from '#shared/engine/table/listed.ts';
import {
  getProjectsSpan,
  type ProjectRecord,
  projects,
  projectsOfOrganization,
} from '#shared/model/organizations/project.ts';
import type { CoreServices } from '#shared/services.ts';
import { authorizeRead, type OrganizationRequest } from './standing.ts';

export async function listOrganizationProjects(
  services: CoreServices,
  request: OrganizationRequest,
): Promise<ProjectRecord[]> {
  await authorizeRead(services, request, 'projects:read');
  return readListedItems(services.table, projectsOfOrganization, getProjectsSpan(request), projects);
}
