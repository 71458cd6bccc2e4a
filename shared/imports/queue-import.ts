/** Stores a report in the bucket for the queue, and the rows of imports. */
import type { Person } from '#shared/access/actor.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { put } from '#shared/engine/table/writes.ts';
import { type Import, type ImportOptions, importKey, imports } from '#shared/model/import.ts';
import { type ProjectRecord, projects } from '#shared/model/project.ts';
import { change } from '#shared/organizations/change.ts';
import type { Services } from '#shared/services.ts';
import { importIdOf, importRecord, newImport } from './import-row.ts';
import { contentOf } from './sources.ts';

export interface SentReport {
  readonly organizationId: string;
  readonly projectId: string;
  readonly options: ImportOptions;
  readonly file: Uint8Array;
  /** The person who sent it by the form, for the audit log. A script records, which is no change of settings. */
  readonly person?: Person;
}

type Sent = SentReport & { readonly content: string };

/** The row is written first. The file then announces itself to the queue. */
export async function queueImport(services: Services, asked: SentReport, known: Partial<Import> = {}): Promise<Import> {
  const sent = { ...asked, content: contentOf(asked.file) };
  const { content, ...facts } = known;
  const row = await storeImport(services, sent, { ...facts, state: 'waiting' });
  await services.artifacts.put(importKey(row), asked.file, 'application/octet-stream');
  return row;
}

export const unstored = ({ now }: Services, sent: Sent): Import => {
  const { organizationId, projectId, options } = sent;
  const importId = importIdOf(sent);
  return newImport({ organizationId, projectId, importId, options, state: 'waiting', createdAt: now() });
};

/** A repeated import keeps the time of the first. */
export async function storeImport(services: Services, sent: Sent, more: Partial<Import>): Promise<Import> {
  const fresh = unstored(services, sent);
  const known = await services.table.get(imports, fresh, { consistent: true });
  const row = { ...fresh, ...more, createdAt: known?.createdAt ?? fresh.createdAt };
  const { person: actor } = sent;
  if (!actor) {
    await services.table.put(imports, row, { any: [{ absent: 'pk' }, { present: 'pk' }] });
    return row;
  }
  const project = await findProject(services, sent);
  return change(services, { actor, action: 'runs:write' }, () => ({
    result: row,
    writes: [put(imports, row)],
    record: importRecord('report uploaded', row, project),
  }));
}

export async function findProject(
  { table }: Pick<Services, 'table'>,
  { organizationId, projectId }: Pick<SentReport, 'organizationId' | 'projectId'>,
): Promise<ProjectRecord> {
  return (await table.get(projects, { organizationId, projectId })) ?? refuse(notFound('Project'));
}
