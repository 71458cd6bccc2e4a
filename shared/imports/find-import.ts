import { notFound, refuse } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { type Import, imports } from '#shared/model/runs/import.ts';

type ImportLookup = Pick<Import, 'organizationId' | 'importId'> & Partial<Pick<Import, 'projectId'>>;

/** Returns the import. Throws 404 if it does not exist, or if it belongs to a project other than the one in the URL. */
export async function findImport({ table }: WithTable, lookup: ImportLookup): Promise<Import> {
  const row = (await table.get(imports, lookup, { consistent: true })) ?? refuse(notFound('Import'));
  return lookup.projectId === undefined || lookup.projectId === row.projectId ? row : refuse(notFound('Import'));
}
