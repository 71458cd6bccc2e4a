/** Lists all organizations of the deployment, oldest first. For the operator. */
import type { Actor } from '#shared/access/actor.ts';
import { requirePermission } from '#shared/access/may.ts';
import { readListedItems } from '#shared/engine/table/listed.ts';
import {
  allOrganizations,
  allOrganizationsSpan,
  type Organization,
  organizations,
} from '#shared/model/organizations/organization.ts';
import type { CoreServices } from '#shared/services.ts';

export async function listOrganizations({ table }: CoreServices, { actor }: { actor: Actor }): Promise<Organization[]> {
  requirePermission(actor, 'organizations:list');
  return readListedItems(table, allOrganizations, allOrganizationsSpan, organizations);
}
