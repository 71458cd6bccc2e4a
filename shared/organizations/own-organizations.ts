/** The active organizations of a person. */
import type { Person } from '#shared/access/actor.ts';
import { membershipsOfAccount, membershipsSpan } from '#shared/model/membership.ts';
import { type Organization, organizations } from '#shared/model/organization.ts';
import type { CoreServices } from '#shared/services.ts';

export type OwnOrganization = Pick<Organization, 'organizationId' | 'name'>;

/** All of them, sorted by name. */
export async function listOwnOrganizations(
  { table }: Pick<CoreServices, 'table'>,
  actor: Pick<Person, 'accountId'>,
): Promise<OwnOrganization[]> {
  const pointers = await table.queryAll(membershipsOfAccount, membershipsSpan(actor), { consistent: true });
  const found = await table.getMany(organizations, pointers, { consistent: true });
  const active = found.flatMap((one) => (one && one.deactivatedAt === undefined ? one : []));
  return active
    .map(({ organizationId, name }) => ({ organizationId, name }))
    .sort((one, other) => one.name.localeCompare(other.name));
}
