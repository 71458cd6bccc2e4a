/** Looks up the names to show instead of ids, for actors and for the subjects of audit records. */
import { formatActorName, makePerson, parseAccountId } from '#shared/access/actor.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import type { AuditRecord } from '#shared/model/organizations/audit-record.ts';
import { projects } from '#shared/model/organizations/project.ts';

/** Maps the actor names of audit records and cancellations to display names. Only names of people change. */
export async function loadActorNames(
  { table }: WithTable,
  names: readonly string[],
): Promise<(name: string) => string> {
  const ids = new Set(names.flatMap((name) => parseAccountId(name) ?? []));
  const keys = [...ids].map((accountId) => ({ accountId }));
  const storedAccounts = keys.length === 0 ? [] : await table.getMany(accounts, keys);
  const namesById = new Map(
    storedAccounts.flatMap((account) => (account ? [[account.accountId, account.name] as const] : [])),
  );
  return (name) => namesById.get(parseAccountId(name) ?? '') ?? name;
}

export async function loadPeopleNames<Of extends { readonly accountId: string }>(
  services: WithTable,
  rows: readonly Of[],
): Promise<(row: Of) => string> {
  const actorOf = (row: Of) => formatActorName(makePerson(row));
  const nameOf = await loadActorNames(services, rows.map(actorOf));
  return (row) => nameOf(actorOf(row));
}

/**
 * In one round trip. Most subjects have the name stored in the record, because they may have been deleted, but people
 * their current name. `subjectOf` returns `undefined` for an email address, which needs no other name.
 */
export async function loadAuditNames(services: WithTable, records: readonly AuditRecord[]) {
  const asPerson = ({ subject }: AuditRecord) => formatActorName(makePerson({ accountId: subject }));
  const unnamedRecords = records.filter(({ label }) => label === undefined);
  const [nameOf, projectOf] = await Promise.all([
    loadActorNames(services, [...records.map(({ actor }) => actor), ...unnamedRecords.map(asPerson)]),
    loadProjectNames(services, records),
  ]);
  const subjectOf = (record: AuditRecord): string | undefined => {
    if (record.label !== undefined) return record.label;
    const name = nameOf(asPerson(record));
    return name === asPerson(record) ? undefined : name;
  };
  return { nameOf, subjectOf, projectOf };
}

/** How the details of records name a project: by its id, because its name may change. */
export const PROJECT_IN_DETAIL = /\bproject ([0-9a-z]{6})\b/;

/** The present name of a project that the details of a record name. `undefined` after its removal. */
async function loadProjectNames(
  { table }: WithTable,
  records: readonly AuditRecord[],
): Promise<(projectId: string) => string | undefined> {
  const keys = records.flatMap(({ organizationId, detail }) => {
    const [, projectId] = PROJECT_IN_DETAIL.exec(detail) ?? [];
    return projectId === undefined ? [] : [{ organizationId, projectId }];
  });
  const uniqueKeys = [...new Map(keys.map((key) => [key.projectId, key])).values()];
  const storedProjects = uniqueKeys.length === 0 ? [] : await table.getMany(projects, uniqueKeys);
  const namesById = new Map(storedProjects.flatMap((project) => (project ? [[project.projectId, project.name]] : [])));
  return (projectId) => namesById.get(projectId);
}
