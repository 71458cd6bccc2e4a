/** A change to an account, which belongs to no one organization, is recorded in each organization of the person. */
import type { Person } from '#shared/access/actor.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { getMembershipsSpan, membershipsOfAccount } from '#shared/model/organizations/membership.ts';

export async function makeAccountRecords<Name extends string>(
  { table }: WithTable,
  { accountId }: Pick<Person, 'accountId'>,
  entry: { readonly action: Name; readonly detail: string },
) {
  const all = await table.queryAll(membershipsOfAccount, getMembershipsSpan({ accountId }), { consistent: true });
  return all.map(({ organizationId }) => ({ ...entry, organizationId, subject: accountId }));
}
