/** Lists the active organizations of a person, with the person's role in each, and their newest projects. */
import type { Person } from '#shared/access/actor.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import {
  getMembershipsSpan,
  memberships,
  membershipsOfAccount,
  type Role,
} from '#shared/model/organizations/membership.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import { getProjectsSpan, projects, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';

export interface OwnOrganization extends Pick<Organization, 'organizationId' | 'name'> {
  readonly role: Role;
}

/** The active organizations of the person, sorted by name. */
export async function listOwnOrganizations(
  { table }: WithTable,
  actor: Pick<Person, 'accountId'>,
): Promise<OwnOrganization[]> {
  const pointers = await table.queryAll(membershipsOfAccount, getMembershipsSpan(actor), { consistent: true });
  const lookups = pointers.map((key) => [makeLookup(organizations, key), makeLookup(memberships, key)] as const);
  const rows = await table.getTogether(lookups.flat(), { consistent: true });
  return lookups
    .flatMap(([organizationLookup, membershipLookup]) => {
      const organization = rows.of(organizationLookup);
      const membership = rows.of(membershipLookup);
      if (!organization || !membership || organization.deactivatedAt !== undefined) return [];
      return { organizationId: organization.organizationId, name: organization.name, role: membership.role };
    })
    .sort((one, other) => one.name.localeCompare(other.name));
}

export interface OwnProject {
  readonly projectId: string;
  readonly name: string;
  readonly organizationName: string;
}

/** The newest projects of each organization, grouped by organization. Reads only the first organizations by name. */
export async function listOwnProjects({ table }: WithTable, person: Pick<Person, 'accountId'>): Promise<OwnProject[]> {
  const organizations = await listOwnOrganizations({ table }, person);
  const projectLists = await Promise.all(
    organizations.slice(0, ORGANIZATION_LIMITS.chosenOrganizations).map(async (organization) => {
      const { rows } = await table.query(projectsOfOrganization, getProjectsSpan(organization), {
        newestFirst: true,
        limit: ORGANIZATION_LIMITS.chosenProjects,
      });
      const keys = rows.map(({ item }) => item);
      return (await table.getMany(projects, keys)).flatMap((project) =>
        project ? { projectId: project.projectId, name: project.name, organizationName: organization.name } : [],
      );
    }),
  );
  return projectLists.flat();
}
