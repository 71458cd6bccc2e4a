/** Lists the active organizations of a person, with the person's role in each. */
import type { Person } from '#shared/access/actor.ts';
import { lookup } from '#shared/engine/table/found.ts';
import {
  memberships,
  membershipsOfAccount,
  membershipsSpan,
  type Role,
} from '#shared/model/organizations/membership.ts';
import { type Organization, organizations } from '#shared/model/organizations/organization.ts';
import type { WithTable } from '#shared/services.ts';

export interface OwnOrganization extends Pick<Organization, 'organizationId' | 'name'> {
  readonly role: Role;
}

/** The active organizations of the person, sorted by name. */
export async function listOwnOrganizations(
  { table }: WithTable,
  actor: Pick<Person, 'accountId'>,
): Promise<OwnOrganization[]> {
  const pointers = await table.queryAll(membershipsOfAccount, membershipsSpan(actor), { consistent: true });
  const wanted = pointers.map((key) => [lookup(organizations, key), lookup(memberships, key)] as const);
  const found = await table.getTogether(wanted.flat(), { consistent: true });
  return wanted
    .flatMap(([organizationLookup, membershipLookup]) => {
      const organization = found.of(organizationLookup);
      const membership = found.of(membershipLookup);
      if (!organization || !membership || organization.deactivatedAt !== undefined) return [];
      return { organizationId: organization.organizationId, name: organization.name, role: membership.role };
    })
    .sort((one, other) => one.name.localeCompare(other.name));
}
