/** Reads a whole archive before anything is written, and refuses it if it cannot be imported. */
import type { Attributes } from '#shared/engine/table/entity.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import { memberships, membershipsOfAccount, type Role } from '#shared/model/organizations/membership.ts';
import { BadArchive, EXPORT_AGAIN } from './bad-archive.ts';
import { readPeople } from './checked-archive.ts';
import type { ExistingMember, ImportContext } from './import-context.ts';
import { openContent, readParts, refuseChangedFile } from './import-parts.ts';
import { compareAccount, listExistingMembers, makeOtherPersonError } from './import-people.ts';
import { IMPORTABLE } from './importable-rows.ts';
import type { Row } from './table-scan.ts';

interface ArchivePeople {
  readonly people: readonly Account[];
  /** The number of members who are Admins. */
  readonly admins: number;
  readonly existingMembers: readonly ExistingMember[];
}

export async function checkArchive(context: ImportContext): Promise<ArchivePeople> {
  const { archive, recognize, parts } = context;
  const members = new Map<string, Role | undefined>();
  await readParts(context, parts, 'checked', {
    onRows: async (rows) => {
      await refuseForeignTargets(context, rows);
      for (const row of rows) {
        const type = recognize(row)?.type;
        const accountId = String(row['accountId']);
        if (type === memberships.type) members.set(accountId, memberships.load(row).role);
        if (type === membershipsOfAccount.type) members.set(accountId, members.get(accountId));
      }
    },
    onFile: async (file) => {
      const { content, result } = await openContent(context, file);
      for await (const _ of content);
      refuseChangedFile(file, result());
    },
  });
  const peopleParts = parts.filter(({ kind }) => kind === 'people');
  const people = await readPeople(archive, peopleParts, context);
  const strangers: string[] = [];
  for (const account of people) {
    const { managedBy } = account;
    if (managedBy !== undefined && managedBy !== context.organizationId)
      throw new BadArchive(
        `The archive has the account of ${account.email}, which another organization manages. ${EXPORT_AGAIN}`,
      );
    // The directory of the organization may activate the account of a former member again.
    if (managedBy === undefined && members.get(account.accountId) === undefined)
      throw new BadArchive(
        `The archive has the account of ${account.email}, but no membership of this person. ${EXPORT_AGAIN}`,
      );
    if ((await compareAccount(context, account)) === 'other') strangers.push(account.email);
  }
  if (strangers.length > 0) throw makeOtherPersonError(strangers);
  const admins = [...members.values()].filter((role) => role === 'admin').length;
  return { people, admins, existingMembers: await listExistingMembers(context, members) };
}

/** Whoever revokes an entry in the list of API keys deletes the row it leads to, so it must not be a foreign row. */
async function refuseForeignTargets(
  { services, recognize, organizationId }: ImportContext,
  rows: readonly Row[],
): Promise<void> {
  const lookups = rows.flatMap((row) => {
    const key = IMPORTABLE.get(recognize(row)?.type ?? '')?.leadsTo?.(row);
    return key ? [{ row, key, load: (attributes: Attributes) => attributes }] : [];
  });
  if (lookups.length === 0) return;
  const targetRows = await services.table.getTogether(lookups, { consistent: true });
  for (const lookup of lookups) {
    const target = targetRows.of(lookup);
    if (target && target['organizationId'] !== organizationId)
      throw new BadArchive(
        `The row ${lookup.row.pk} ${lookup.row.sk} leads to a row of another organization. ${EXPORT_AGAIN}`,
      );
  }
}
