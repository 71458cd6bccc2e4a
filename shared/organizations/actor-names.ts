/** Looks up the names to show instead of ids, for actors and for the subjects of audit records. */
import { accountIdIn, actorName, person } from '#shared/access/actor.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import type { AuditRecord } from '#shared/model/organizations/audit-record.ts';

/**
 * Returns a function that converts the actor names in audit records and cancellations to display names. Only the names
 * of people change.
 */
export async function shownActors({ table }: WithTable, names: readonly string[]): Promise<(name: string) => string> {
  const ids = new Set(names.flatMap((name) => accountIdIn(name) ?? []));
  const keys = [...ids].map((accountId) => ({ accountId }));
  const found = keys.length === 0 ? [] : await table.getMany(accounts, keys);
  const known = new Map(found.flatMap((account) => (account ? [[account.accountId, account.name] as const] : [])));
  return (name) => known.get(accountIdIn(name) ?? '') ?? name;
}

/** Returns a function that takes one of the rows and returns the name of the person to whom the row belongs. */
export async function shownPeople<Of extends { readonly accountId: string }>(
  services: WithTable,
  rows: readonly Of[],
): Promise<(row: Of) => string> {
  const actorOf = (row: Of) => actorName(person(row));
  const nameOf = await shownActors(services, rows.map(actorOf));
  return (row) => nameOf(actorOf(row));
}

/**
 * Looks up the names of the actors and subjects of audit records, in one round trip. Most subjects are shown with the
 * name that is stored in the record, because the subject may have been deleted. People are shown with their current
 * name. `subjectOf` returns `undefined` if the subject is an email address, which needs no other name.
 */
export async function auditNames(services: WithTable, records: readonly AuditRecord[]) {
  const asPerson = ({ subject }: AuditRecord) => actorName(person({ accountId: subject }));
  const unnamed = records.filter(({ label }) => label === undefined);
  const nameOf = await shownActors(services, [...records.map(({ actor }) => actor), ...unnamed.map(asPerson)]);
  const subjectOf = (record: AuditRecord): string | undefined => {
    if (record.label !== undefined) return record.label;
    const name = nameOf(asPerson(record));
    return name === asPerson(record) ? undefined : name;
  };
  return { nameOf, subjectOf };
}
