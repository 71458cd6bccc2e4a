/** A new project: the record under its id and the pointer in its organization's list, both or neither. */
import { LIMITS } from '../limits.ts';
import { type ProjectRecord, projects, projectsOfOrganization } from '../resources/project.ts';
import type { Administration } from '../services.ts';
import { ABSENT, put } from '../table/writes.ts';
import { change } from './change.ts';
import { branchFrom, nameFrom } from './names.ts';
import type { Question } from './rights.ts';

const PROJECT_ID_CHARACTERS = 6;

export function createProject(
  services: Administration,
  wish: Question & { readonly name: string; readonly defaultBranchName?: string | undefined },
): Promise<ProjectRecord> {
  const { organizationId, defaultBranchName = 'main' } = wish;
  return change(services, { ...wish, right: 'create a project' }, () => {
    const project = {
      organizationId,
      // Ids are short on purpose (people type them), so a taken one is met now and then, and the next one tried.
      projectId: services.randomId(PROJECT_ID_CHARACTERS),
      name: nameFrom('The name of a project', wish.name),
      createdAt: services.now(),
      inactivityTimeoutSeconds: LIMITS.inactivityTimeoutSeconds.default,
      failFast: false,
      defaultBranchName: branchFrom(defaultBranchName),
    };
    const record = { action: 'project created', subject: project.projectId, detail: project.name };
    return {
      result: project,
      writes: [put(projects, project, ABSENT), put(projectsOfOrganization, project)],
      record,
    };
  });
}
