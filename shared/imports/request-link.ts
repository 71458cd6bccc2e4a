/** Announces an import whose file is uploaded by a link. The queue records it after the upload. */
import type * as z from 'zod';
import { FILE_LIMITS } from '#shared/engine/files/limits.ts';
import { type Import, type ImportOptions, importKey, imports } from '#shared/model/import.ts';
import { isoTime } from '#shared/results/test-result.ts';
import type { Services } from '#shared/services.ts';
import { newImport } from './import-row.ts';
import type { ImportLink } from './import-wire.ts';
import { findProject } from './queue-import.ts';

const IMPORT_CHARACTERS = 24;

interface Wanted extends Pick<Import, 'organizationId' | 'projectId'> {
  readonly options: ImportOptions;
}

export async function requestLink(services: Services, wanted: Wanted): Promise<z.input<typeof ImportLink>> {
  const { organizationId, projectId, options } = wanted;
  await findProject(services, wanted);
  const importId = services.randomId(IMPORT_CHARACTERS);
  const createdAt = services.now();
  const row = newImport({ organizationId, projectId, importId, options, state: 'waiting', createdAt });
  await services.table.put(imports, row, { absent: 'pk' });
  const uploadUrl = await services.artifacts.uploadUrl(importKey(row));
  return { importId, uploadUrl, expiresAt: isoTime(createdAt + FILE_LIMITS.uploadUrlSeconds * 1000) };
}
