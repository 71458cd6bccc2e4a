/** Stores a report in the bucket, which notifies the queue. Also writes the rows of imports. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import { type ProjectRecord, projects } from '#shared/model/organizations/project.ts';
import { type Import, type ImportOptions, importKey, imports } from '#shared/model/runs/import.ts';
import type { Services } from '#shared/services.ts';
import { importIdOf, newImport } from './import-row.ts';
import { contentHash } from './sources.ts';

export interface UnhashedReport {
  readonly organizationId: string;
  readonly projectId: string;
  readonly options: ImportOptions;
  readonly file: Uint8Array;
}

/** A report with the digest of its file. */
export type SentReport = UnhashedReport & { readonly content: string };

export const hashed = (report: UnhashedReport): SentReport => ({ ...report, content: contentHash(report.file) });

/** Calls `store` to write the row before it stores the file, because storing the file notifies the queue. */
export async function queueImport(
  services: Services,
  sent: SentReport,
  known: Partial<Import> = {},
  store = storeRow,
): Promise<Import> {
  const { content, ...facts } = known;
  const row = await storeImport(services, sent, { ...facts, state: 'waiting' }, store);
  await services.artifacts.put(importKey(row), sent.file, 'application/octet-stream');
  return row;
}

export const unstored = ({ now }: Services, sent: SentReport): Import => {
  const { organizationId, projectId, options } = sent;
  const importId = importIdOf(sent);
  return newImport({ organizationId, projectId, importId, options, state: 'waiting', createdAt: now() });
};

/** Stores the row of an import. A repeated import keeps the `createdAt` of the first import. */
export async function storeImport(
  services: Services,
  sent: SentReport,
  more: Partial<Import>,
  store = storeRow,
): Promise<Import> {
  const fresh = unstored(services, sent);
  const known = await services.table.get(imports, fresh, { consistent: true });
  const row = { ...fresh, ...more, createdAt: known?.createdAt ?? fresh.createdAt };
  await store(services, row);
  return row;
}

/** Writes the row of an import. An import by a script changes no settings, so it is not recorded in the audit log. */
const storeRow = (services: Services, row: Import): Promise<unknown> => services.table.put(imports, row);

export async function findProject(
  { table }: Pick<Services, 'table'>,
  { organizationId, projectId }: Pick<SentReport, 'organizationId' | 'projectId'>,
): Promise<ProjectRecord> {
  return (await table.get(projects, { organizationId, projectId })) ?? refuse(notFound('Project'));
}
