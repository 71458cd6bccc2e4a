/** All organizations of a table, for who operates it. */
import { allOrganizations, allOrganizationsSpan, type Organization, organizations } from '../resources/organization.ts';
import type { Administration } from '../services.ts';

export async function listOrganizations({ table }: Administration): Promise<Organization[]> {
  const pointers = await table.queryAll(allOrganizations, allOrganizationsSpan, { consistent: true });
  const found = await table.getMany(organizations, pointers, { consistent: true });
  return found.flatMap((organization) => organization ?? []);
}
