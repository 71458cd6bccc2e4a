/**
 * §5.2 Deletes a project after a waiting time, in which it can be read and restored, and records no new runs. A
 * scheduled job then removes the project and its data.
 */
import { invalidRequest } from '#shared/engine/errors.ts';
import { put, remove, update } from '#shared/engine/table/writes.ts';
import { findProject } from '#shared/find-project.ts';
import { dueProjects } from '#shared/model/due.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { type ProjectRecord, projects } from '#shared/model/organizations/project.ts';
import type { CoreServices } from '#shared/services.ts';
import { changeOrganization } from './change.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';
import type { ProjectRequest } from './project-settings.ts';

interface Deletion extends ProjectRequest {
  /** The name that a person typed to confirm. The deletion is refused if it is not the name of the project. */
  readonly typedName?: string;
}

/** Changes nothing if the project was deleted before. */
export function deleteProject(services: CoreServices, request: Deletion): Promise<ProjectRecord> {
  return changeOrganization(services, { ...request, action: 'projects:write' }, async () => {
    const project = await findProject(services, request, { consistent: true });
    const { typedName = project.name } = request;
    if (typedName.trim() !== project.name)
      throw invalidRequest(`This is not the name of the project. Type ${project.name}`, ['name']);
    if (project.deletesAt !== undefined) return { result: project };
    const deletesAt = services.now() + ORGANIZATION_LIMITS.projectDeletionMilliseconds;
    return {
      result: { ...project, deletesAt },
      writes: [
        update(
          projects,
          project,
          { set: [['deletesAt', deletesAt]] },
          { all: [{ present: 'pk' }, { absent: 'deletesAt' }] },
        ),
        put(dueProjects, makeDueProject(project, deletesAt)),
      ],
      record: {
        action: 'project deleted',
        subject: project.projectId,
        label: project.name,
        detail: `its data is removed on ${new Date(deletesAt).toISOString()}`,
      },
    };
  });
}

/** Changes nothing if the project is not deleted. */
export function restoreProject(services: CoreServices, request: ProjectRequest): Promise<ProjectRecord> {
  return changeOrganization(services, { ...request, action: 'projects:write' }, async () => {
    const { deletesAt, ...project } = await findProject(services, request, { consistent: true });
    if (deletesAt === undefined) return { result: project };
    return {
      result: project,
      writes: [
        update(projects, project, { remove: ['deletesAt'] }, { path: 'deletesAt', equals: deletesAt }),
        remove(dueProjects, makeDueProject(project, deletesAt)),
      ],
      record: {
        action: 'project restored',
        subject: project.projectId,
        label: project.name,
        detail: `before ${new Date(deletesAt).toISOString()}`,
      },
    };
  });
}

const makeDueProject = ({ organizationId, projectId }: ProjectKey, dueAt: number) => ({
  organizationId,
  projectId,
  dueAt,
});
