/** The members who can sign in, read from the table each time. */

import { accounts } from '#shared/model/account.ts';
import { memberships, membersSpan, type Role } from '#shared/model/membership.ts';
import {
  allOrganizations,
  allOrganizationsSpan,
  type Organization,
  organizations,
} from '#shared/model/organization.ts';
import type { CoreServices } from '#shared/services.ts';

export interface Member {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly accountId: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  /** The time of joining in milliseconds. */
  readonly startedAt: number;
}

const isActive = ({ deactivatedAt }: Organization): boolean => deactivatedAt === undefined;

/** The active organizations, oldest first. */
export async function activeOrganizations({ table }: CoreServices): Promise<Organization[]> {
  const pointers = await table.queryAll(allOrganizations, allOrganizationsSpan, { consistent: true });
  const found = await table.getMany(organizations, pointers, { consistent: true });
  return found.flatMap((organization) => (organization && isActive(organization) ? organization : []));
}

/** The members of an organization, in the order in which they joined. */
export async function membersOf(services: CoreServices, organizationId: string): Promise<Member[]> {
  const found = await services.table.queryAll(memberships, membersSpan({ organizationId }), { consistent: true });
  const members = await Promise.all(found.map((membership) => findMember(services, membership)));
  return members.flatMap((member) => member ?? []).sort((one, other) => one.startedAt - other.startedAt);
}

/** The membership of an account, `undefined` for non-members and in an inactive organization. */
export async function findMember(
  { table }: CoreServices,
  of: { readonly organizationId: string; readonly accountId: string },
): Promise<Member | undefined> {
  const [membership, account, organization] = await Promise.all([
    table.get(memberships, of, { consistent: true }),
    table.get(accounts, of, { consistent: true }),
    table.get(organizations, of, { consistent: true }),
  ]);
  if (!membership || !account || !organization || !isActive(organization)) return undefined;
  const { organizationId, accountId, role, startedAt } = membership;
  return {
    organizationId,
    organizationName: organization.name,
    accountId,
    name: account.name,
    email: account.email,
    role,
    startedAt,
  };
}
