/** Reads an import. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import { type Import, imports } from '#shared/model/import.ts';
import type { Services } from '#shared/services.ts';

export async function findImport(
  { table }: Pick<Services, 'table'>,
  key: Pick<Import, 'organizationId' | 'importId'>,
): Promise<Import> {
  return (await table.get(imports, key, { consistent: true })) ?? refuse(notFound('Import'));
}
