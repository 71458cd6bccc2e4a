/** §4.4.1 Creates a project and adds it to the organization's list, in one transaction. */

import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { type ProjectRecord, projects, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import type { CoreServices } from '#shared/services.ts';
import { changeOrganization } from './change.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';
import { parseSettings, type SettingsChange } from './setting-declarations.ts';
import type { OrganizationRequest } from './standing.ts';

const PROJECT_ID_CHARACTERS = 6;

/** For settings that are absent, the defaults apply. The default retention is that of the environment. */
type NewProject = OrganizationRequest & SettingsChange & { readonly name: string };

export function createProject(services: CoreServices, request: NewProject): Promise<ProjectRecord> {
  const { organizationId } = request;
  return changeOrganization(services, { ...request, action: 'projects:write' }, () => {
    const project = {
      organizationId,
      // The id is short, because people type it. If the id is already taken, the conditional write fails, and the retry
      // uses another id.
      projectId: services.randomId(PROJECT_ID_CHARACTERS),
      name: request.name,
      createdAt: services.now(),
      inactivityTimeoutSeconds: ORGANIZATION_LIMITS.inactivityTimeoutSeconds.default,
      failFast: false,
      defaultBranchName: ORGANIZATION_LIMITS.defaultBranchName,
      retention: {},
      ...parseSettings(request, { retention: {} }),
    };
    return {
      result: project,
      writes: [put(projects, project, ABSENT), put(projectsOfOrganization, project)],
      record: { action: 'project created', subject: project.projectId, label: project.name, detail: project.name },
    };
  });
}
