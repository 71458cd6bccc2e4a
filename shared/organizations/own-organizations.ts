/** Lists the active organizations of a person, with the person's role in each, and their newest projects. */
import type { Person } from '#shared/access/actor.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { isInUse } from '#shared/find-project.ts';
import {
  getMembershipsSpan,
  memberships,
  membershipsOfAccount,
  type Role,
} from '#shared/model/organizations/membership.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import { getProjectsSpan, projects, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { CompanySignInRequired } from './errors.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';
import { findSessionRefusal } from './session-rule.ts';

export interface OwnOrganization extends Pick<Organization, 'organizationId' | 'name'> {
  readonly role: Role;
}

/** The active organizations that the person may use in this session, sorted by name. */
export async function listOwnOrganizations(
  services: WithTable,
  actor: Pick<Person, 'accountId' | 'signIn'>,
): Promise<OwnOrganization[]> {
  const all = await listReachableOrganizations(services, actor);
  return all
    .filter(({ needsCompanySignIn }) => !needsCompanySignIn)
    .map(({ organizationId, name, role }) => ({ organizationId, name, role }));
}

export interface ReachableOrganization extends OwnOrganization {
  /** Whether the person must sign in with the company first. */
  readonly needsCompanySignIn: boolean;
  readonly hasCompanySignIn: boolean;
}

/** The active organizations of the person, sorted by name, with those that need another way to sign in. */
export async function listReachableOrganizations(
  { table }: WithTable,
  actor: Pick<Person, 'accountId' | 'signIn'>,
): Promise<ReachableOrganization[]> {
  const pointers = await table.queryAll(membershipsOfAccount, getMembershipsSpan(actor), { consistent: true });
  const lookups = pointers.map((key) => [makeLookup(organizations, key), makeLookup(memberships, key)] as const);
  const rows = await table.getTogether(lookups.flat(), { consistent: true });
  return lookups
    .flatMap(([organizationLookup, membershipLookup]) => {
      const organization = rows.of(organizationLookup);
      const membership = rows.of(membershipLookup);
      if (!organization || !membership || organization.deactivatedAt !== undefined) return [];
      const refusal = findSessionRefusal(actor, organization);
      const needsCompanySignIn = refusal instanceof CompanySignInRequired;
      if (refusal && !needsCompanySignIn) return [];
      const { organizationId, name, companySignIn } = organization;
      const hasCompanySignIn = companySignIn !== undefined;
      return [{ organizationId, name, role: membership.role, needsCompanySignIn, hasCompanySignIn }];
    })
    .sort((one, other) => one.name.localeCompare(other.name));
}

export interface OwnProject {
  readonly organizationId: string;
  readonly projectId: string;
  readonly name: string;
  readonly organizationName: string;
}

/** The newest projects of each organization that are not deleted, grouped by organization. Reads only the first organizations by name. */
export async function listOwnProjects(
  { table }: WithTable,
  person: Pick<Person, 'accountId' | 'signIn'>,
): Promise<OwnProject[]> {
  const organizations = await listOwnOrganizations({ table }, person);
  const projectLists = await Promise.all(
    organizations.slice(0, ORGANIZATION_LIMITS.chosenOrganizations).map(async (organization) => {
      const { rows } = await table.query(projectsOfOrganization, getProjectsSpan(organization), {
        newestFirst: true,
        limit: ORGANIZATION_LIMITS.chosenProjects,
      });
      const keys = rows.map(({ item }) => item);
      const { organizationId, name: organizationName } = organization;
      return (await table.getMany(projects, keys)).flatMap((project) =>
        isInUse(project) ? { organizationId, projectId: project.projectId, name: project.name, organizationName } : [],
      );
    }),
  );
  return projectLists.flat();
}
