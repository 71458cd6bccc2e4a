/**
 * Notes how many organizations are active, and which of them is the only one. Limits and fair shares depend on it, and
 * requests must not pay for a count. A deactivated or deleted organization is not active.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { readListedItems } from '#shared/engine/table/listed.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { Changes } from '#shared/engine/table/update.ts';
import { activeOrganizations } from '#shared/model/organizations/active-organizations.ts';
import { allOrganizations, allOrganizationsSpan, organizations } from '#shared/model/organizations/organization.ts';

export async function noteActiveOrganizations({ table }: WithTable): Promise<void> {
  const all = await readListedItems(table, allOrganizations, allOrganizationsSpan, organizations);
  const activeOnes = all.filter(({ deactivatedAt }) => deactivatedAt === undefined);
  const onlyOne = activeOnes.length === 1 ? activeOnes[0] : undefined;
  const changedOnes = all.filter((organization) => (organization === onlyOne) !== (organization.isOnly === true));
  await mapConcurrently(changedOnes, (organization) => {
    const changes: Changes = organization === onlyOne ? { set: [['isOnly', true]] } : { remove: ['isOnly'] };
    return table.update(organizations, organization, changes, { present: 'pk' });
  });
  const storedCount = await table.get(activeOrganizations, {});
  if (storedCount?.count !== activeOnes.length) await table.put(activeOrganizations, { count: activeOnes.length });
}
