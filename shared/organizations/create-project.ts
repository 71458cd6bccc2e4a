/** A new project: the record under its id and the pointer in its organization's list, both or neither. */
import { type ProjectRecord, projects, projectsOfOrganization } from '../resources/project.ts';
import type { Administration } from '../services.ts';
import { ABSENT, put } from '../table/writes.ts';

const PROJECT_ID_CHARACTERS = 6;
const DEFAULT_INACTIVITY_TIMEOUT_SECONDS = 1800;
const ATTEMPTS = 5;

export async function createProject(
  { table, now, randomId }: Administration,
  {
    organizationId,
    name,
    defaultBranchName = 'main',
  }: { organizationId: string; name: string; defaultBranchName?: string },
): Promise<ProjectRecord> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const project: ProjectRecord = {
      organizationId,
      projectId: randomId(PROJECT_ID_CHARACTERS),
      name,
      createdAt: now(),
      inactivityTimeoutSeconds: DEFAULT_INACTIVITY_TIMEOUT_SECONDS,
      failFast: false,
      defaultBranchName,
    };
    // Ids are short on purpose (people type them), so a taken one is met now and then.
    if (await table.transact([put(projects, project, ABSENT), put(projectsOfOrganization, project)])) return project;
  }
  throw new Error(`No free project id found in ${ATTEMPTS} attempts. Try again`);
}
