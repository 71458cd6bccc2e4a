/**
 * Notes how many organizations are active, and which of them is the only one. Limits and fair shares depend on it, and
 * requests must not pay for a count. A deactivated or deleted organization is not active.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { readListedItems } from '#shared/engine/table/listed.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { activeOrganizations } from '#shared/model/organizations/active-organizations.ts';
import {
  allOrganizations,
  allOrganizationsSpan,
  type Organization,
  organizations,
} from '#shared/model/organizations/organization.ts';

export async function noteActiveOrganizations({ table }: WithTable): Promise<void> {
  const all = await readListedItems(table, allOrganizations, allOrganizationsSpan, organizations);
  const active = all.filter(({ deactivatedAt }) => deactivatedAt === undefined);
  const [first, ...others] = active;
  const only = others.length === 0 ? first : undefined;
  const changed = all.filter((organization) => (organization === only) !== (organization.isOnly === true));
  await mapConcurrently(changed, (organization) =>
    table.update(organizations, organization, organization === only ? { set: NOTED } : { remove: ['isOnly'] }, EXISTS),
  );
  const before = await table.get(activeOrganizations, {});
  if (before?.count !== active.length) await table.put(activeOrganizations, { count: active.length });
}

const NOTED: readonly (readonly ['isOnly', NonNullable<Organization['isOnly']>])[] = [['isOnly', true]];
const EXISTS = { present: 'pk' } as const;
