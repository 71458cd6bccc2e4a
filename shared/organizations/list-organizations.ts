/** All organizations of a table, oldest first, for who operates it. */
import { allOrganizations, allOrganizationsSpan, type Organization, organizations } from '../resources/organization.ts';
import type { Administration } from '../services.ts';
import type { Actor } from './actor.ts';
import { requireOperator } from './rights.ts';

export async function listOrganizations(
  { table }: Administration,
  { actor }: { actor: Actor },
): Promise<Organization[]> {
  requireOperator(actor);
  const pointers = await table.queryAll(allOrganizations, allOrganizationsSpan, { consistent: true });
  const found = await table.getMany(organizations, pointers, { consistent: true });
  return found.flatMap((organization) => organization ?? []);
}
