/** Lists the newest projects of a person, for example to let the person choose one. */
import type { Person } from '#shared/access/actor.ts';
import { projects, projectsOfOrganization, projectsSpan } from '#shared/model/organizations/project.ts';
import type { WithTable } from '#shared/services.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';
import { listOwnOrganizations } from './own-organizations.ts';

export interface OwnProject {
  readonly projectId: string;
  readonly name: string;
  readonly organizationName: string;
}

/** The newest projects of each organization, grouped by organization. Reads only the first organizations by name. */
export async function listOwnProjects({ table }: WithTable, person: Pick<Person, 'accountId'>): Promise<OwnProject[]> {
  const organizations = await listOwnOrganizations({ table }, person);
  const listed = await Promise.all(
    organizations.slice(0, ORGANIZATION_LIMITS.chosenOrganizations).map(async (organization) => {
      const { rows } = await table.query(projectsOfOrganization, projectsSpan(organization), {
        newestFirst: true,
        limit: ORGANIZATION_LIMITS.chosenProjects,
      });
      const keys = rows.map(({ item }) => item);
      return (await table.getMany(projects, keys)).flatMap((project) =>
        project ? { projectId: project.projectId, name: project.name, organizationName: organization.name } : [],
      );
    }),
  );
  return listed.flat();
}
