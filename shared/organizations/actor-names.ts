/** Names to show instead of ids: of the actors, and of what they changed. */
import { accountIdIn, actorName, person } from '#shared/access/actor.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import type { AuditRecord } from '#shared/model/organizations/audit-record.ts';
import type { CoreServices } from '#shared/services.ts';

/**
 * Returns a function from actor names, as in audit records and cancellations, to display names. Only those of people
 * differ.
 */
export async function shownActors(
  { table }: Pick<CoreServices, 'table'>,
  names: readonly string[],
): Promise<(name: string) => string> {
  const ids = [...new Set(names.flatMap((name) => accountIdIn(name) ?? []))];
  const found =
    ids.length === 0
      ? []
      : await table.getMany(
          accounts,
          ids.map((accountId) => ({ accountId })),
        );
  const known = new Map(found.flatMap((account) => (account ? [[account.accountId, account.name] as const] : [])));
  return (name) => known.get(accountIdIn(name) ?? '') ?? name;
}

/**
 * Names the actors and subjects of audit records, in one round trip. A record keeps the name that its subject had,
 * because the subject may be gone. People have their current name. `subjectOf` returns `undefined` for an e-mail
 * address, which is its own name.
 */
export async function auditNames(services: Pick<CoreServices, 'table'>, records: readonly AuditRecord[]) {
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
