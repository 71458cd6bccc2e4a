/** §5 The rows of a person in a directory: the entry, and those by which it is found. */

import { isDeepStrictEqual } from 'node:util';
import { ABSENT, put, remove, removeWhen, type Write } from '#shared/engine/table/writes.ts';
import { type DirectoryEntry, directoryEntries } from '#shared/model/directory/directory-entry.ts';
import { directoryGroupMembers } from '#shared/model/directory/directory-group.ts';
import { directoryNames } from '#shared/model/directory/directory-name.ts';
import { directoryValues, getDirectoryValuesSpan } from '#shared/model/directory/directory-value.ts';
import type { CoreServices } from '#shared/services.ts';
import type { UserAttributes } from './user-attributes.ts';

export const toNameKey = (organizationId: string, { userName }: Pick<UserAttributes, 'userName'>) => ({
  organizationId,
  of: 'USER' as const,
  name: userName.toLowerCase(),
});

export const toAccountKey = ({ organizationId, accountId }: Pick<DirectoryEntry, 'organizationId' | 'accountId'>) => ({
  organizationId,
  of: 'ACCOUNT' as const,
  name: accountId,
});

/** The entry with the rows by which it is found. They fail if the entry has changed, or a name is taken. */
export function planEntry(before: DirectoryEntry | undefined, entry: DirectoryEntry): Write[] {
  return [
    put(directoryEntries, entry, before ? { path: 'version', equals: before.version } : ABSENT),
    ...planDifference(before ? listNames(before) : [], listNames(entry), {
      add: (name) => put(directoryNames, { ...name, id: entry.entryId }, ABSENT),
      take: (name) => remove(directoryNames, name),
    }),
    ...planDifference(before ? listValues(before) : [], listValues(entry), {
      add: (value) => put(directoryValues, value),
      take: (value) => remove(directoryValues, value),
    }),
  ];
}

/** Fails if the entry has changed since the read. */
export const planEntryRemoval = (entry: DirectoryEntry): Write[] => [
  removeWhen(directoryEntries, entry, { path: 'version', equals: entry.version }),
  ...listNames(entry).map((name) => remove(directoryNames, name)),
  ...listValues(entry).map((value) => remove(directoryValues, value)),
  ...entry.groups.map((groupId) => remove(directoryGroupMembers, { ...entry, groupId })),
];

/** The entries whose user name or one of whose addresses is the address, in lower case. */
export async function readEntriesWithAddress(
  { table }: Pick<CoreServices, 'table'>,
  { organizationId, address }: { readonly organizationId: string; readonly address: string },
): Promise<DirectoryEntry[]> {
  const [name, values] = await Promise.all([
    table.get(directoryNames, toNameKey(organizationId, { userName: address }), { consistent: true }),
    table.queryAll(directoryValues, getDirectoryValuesSpan({ organizationId, of: 'EMAIL', value: address }), {
      consistent: true,
    }),
  ]);
  const ids = new Set([...(name ? [name.id] : []), ...values.map(({ entryId }) => entryId)]);
  const keys = [...ids].map((entryId) => ({ organizationId, entryId }));
  const entries = await table.getMany(directoryEntries, keys, { consistent: true });
  return entries.filter((entry) => entry !== undefined);
}

const listNames = (entry: DirectoryEntry) => [toNameKey(entry.organizationId, entry), toAccountKey(entry)];

function listValues({ organizationId, entryId, externalId, emails = [] }: DirectoryEntry) {
  const addresses = new Set(emails.map(({ value }) => value.toLowerCase()));
  const emailRows = [...addresses].map((value) => ({ organizationId, entryId, of: 'EMAIL' as const, value }));
  if (externalId === undefined) return emailRows;
  return [{ organizationId, entryId, of: 'EXTERNAL' as const, value: externalId }, ...emailRows];
}

interface RowWrites<Row> {
  readonly add: (row: Row) => Write;
  readonly take: (row: Row) => Write;
}

function planDifference<Row>(before: readonly Row[], after: readonly Row[], { add, take }: RowWrites<Row>): Write[] {
  const has = (rows: readonly Row[], row: Row) => rows.some((one) => isDeepStrictEqual(one, row));
  const newRows = after.filter((row) => !has(before, row));
  const oldRows = before.filter((row) => !has(after, row));
  return [...newRows.map(add), ...oldRows.map(take)];
}
