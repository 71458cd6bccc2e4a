import { notFound, refuse } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { type Import, imports } from '#shared/model/runs/import.ts';

type Wanted = Pick<Import, 'organizationId' | 'importId'> & Partial<Pick<Import, 'projectId'>>;

/** Returns the import. Throws 404 if it does not exist, or if it belongs to a project other than the one in the URL. */
export async function findImport({ table }: WithTable, wanted: Wanted): Promise<Import> {
  const found = (await table.get(imports, wanted, { consistent: true })) ?? refuse(notFound('Import'));
  return wanted.projectId === undefined || wanted.projectId === found.projectId ? found : refuse(notFound('Import'));
}
