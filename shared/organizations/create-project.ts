/** §4.4.1 Creates a project and adds it to the organization's list, in one transaction. */

import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { type ProjectRecord, projects, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import type { RetentionSetting } from '#shared/model/runs/retention.ts';
import type { CoreServices } from '#shared/services.ts';
import { changeOrganization } from './change.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';
import { branchFrom, nameFrom } from './name-inputs.ts';
import { retentionFrom } from './retention-inputs.ts';
import type { OrganizationRequest } from './standing.ts';

const PROJECT_ID_CHARACTERS = 6;

interface NewProject extends OrganizationRequest {
  readonly name: string;
  readonly defaultBranchName?: string | undefined;
  /** The retention of the project. Default: the retention of the environment. */
  readonly retention?: RetentionSetting;
}

export function createProject(services: CoreServices, request: NewProject): Promise<ProjectRecord> {
  const { organizationId, defaultBranchName = ORGANIZATION_LIMITS.defaultBranchName, retention = {} } = request;
  return changeOrganization(services, { ...request, action: 'projects:write' }, () => {
    const project = {
      organizationId,
      // The id is short, because people type it. If the id is already taken, the conditional write fails, and the retry
      // uses another id.
      projectId: services.randomId(PROJECT_ID_CHARACTERS),
      name: nameFrom('The name of a project', request.name),
      createdAt: services.now(),
      inactivityTimeoutSeconds: ORGANIZATION_LIMITS.inactivityTimeoutSeconds.default,
      failFast: false,
      defaultBranchName: branchFrom(defaultBranchName),
      retention: retentionFrom(retention),
    };
    return {
      result: project,
      writes: [put(projects, project, ABSENT), put(projectsOfOrganization, project)],
      record: { action: 'project created', subject: project.projectId, label: project.name, detail: project.name },
    };
  });
}
