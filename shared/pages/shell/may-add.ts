/** What a deleted project no longer takes. Taking something away, such as revoking a share, asks `may()` alone. */
import type { OrganizationAction } from '#shared/access/actions.ts';
import { may } from '#shared/access/may.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

export const isOfDeletedProject = ({ project }: Pick<ProjectVisit, 'project'>): boolean =>
  project.deletesAt !== undefined;

/** Whether the person may add something to the project or change a setting: in a deleted one, nobody may. */
export const mayAdd = (visit: ProjectVisit, action: OrganizationAction): boolean =>
  !isOfDeletedProject(visit) && may(visit.person, action);
