import * as z from 'zod';
import { makeJsonContent } from '#shared/engine/http/content.ts';
import { IMPORT_LIMITS } from '#shared/imports/limits.ts';
import { requestLink } from '#shared/imports/request-link.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { imports } from '#shared/model/runs/import.ts';
import { linkToImports } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

/** The script of the import form calls this function, and then uploads the file directly to S3. */
export const handler = form({
  operationId: 'submitImportLink',
  route: 'POST /{organizationId}/{projectId}/imports/links',
  needs: 'runs:write',
  access: { table: 'readWrite', writes: [imports, auditRecords], artifacts: 'submit' },
  fields: z.object({ name: z.string(), branch: z.string().optional() }),
  page: 'showNewImport',
  async submit({ visit, caller, fields: { name, branch } }, services) {
    const options = {
      name: name.slice(-IMPORT_LIMITS.fileNameCharacters).toWellFormed(),
      ...(branch ? { branch } : {}),
    };
    const request = { ...caller, options, action: 'runs:write' } as const;
    const { importId, uploadUrl } = await requestLink(services, request);
    return makeJsonContent({ uploadUrl, place: linkToImports(visit, importId) });
  },
});
