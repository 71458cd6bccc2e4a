/**
 * Creates an import and a presigned PUT URL for its file. After the upload, the queue records the file. The URL works
 * without a credential, so the audit log records who requested the URL.
 */
import type * as z from 'zod';
import type { Actor } from '#shared/access/actor.ts';
import { FILE_LIMITS } from '#shared/engine/aws/limits.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { findProjectInUse } from '#shared/find-project.ts';
import { getImportKey, type Import, type ImportOptions, imports } from '#shared/model/runs/import.ts';
import { change } from '#shared/organizations/change.ts';
import type { Services } from '#shared/services.ts';
import { buildAuditRecord, buildImport, IMPORT_CHARACTERS } from './import-row.ts';
import type { ImportLink } from './import-wire.ts';
import { resolveTry } from './try-of-import.ts';

interface LinkRequest extends Pick<Import, 'organizationId' | 'projectId'> {
  readonly options: ImportOptions;
  readonly actor: Actor;
  /** The required permission: scripts need a key that may record results, and people need `runs:write`. */
  readonly action: 'record' | 'runs:write';
}

export async function requestLink(services: Services, request: LinkRequest): Promise<z.input<typeof ImportLink>> {
  const { organizationId, projectId, actor, action } = request;
  const project = await findProjectInUse(services, request);
  const { options } = await resolveTry(services, { organizationId, projectId, options: request.options });
  const importId = services.randomId(IMPORT_CHARACTERS);
  const row = buildImport(services, { organizationId, projectId, importId, options });
  await change(services, { actor, action }, () => ({
    result: undefined,
    writes: [put(imports, row, ABSENT)],
    inProject: row,
    record: buildAuditRecord('import link created', row, project),
  }));
  const uploadUrl = await services.artifacts.uploadUrl(getImportKey(row));
  return { importId, uploadUrl, expiresAt: formatIsoTime(row.createdAt + FILE_LIMITS.uploadUrlSeconds * 1000) };
}
