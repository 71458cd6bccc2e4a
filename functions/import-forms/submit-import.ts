import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { SentFile } from '#shared/engine/http/file-form.ts';
import { IMPORT_LIMITS } from '#shared/imports/limits.ts';
import { queueFormImport } from '#shared/imports/queue-form-import.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { imports } from '#shared/model/runs/import.ts';
import { linkToImports } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitImport',
  route: 'POST /{organizationId}/{projectId}/imports/new',
  needs: 'runs:write',
  access: { table: 'readWrite', writes: [imports, auditRecords], artifacts: 'submit' },
  sendsFile: true,
  fields: z.object({
    report: z.custom<SentFile>((file) => file instanceof SentFile && file.bytes.length > 0, {
      error: 'must be a non-empty file',
    }),
    branch: z.string().optional(),
  }),
  page: 'showNewImport',
  async submit({ visit, caller, fields: { report, branch } }, services) {
    const options = {
      name: report.name.slice(-IMPORT_LIMITS.fileNameCharacters).toWellFormed(),
      ...(branch ? { branch } : {}),
    };
    const { actor, ...project } = caller;
    const request = { ...project, options, file: report.bytes };
    const { importId } = await queueFormImport(services, request, actor);
    return redirect(linkToImports(visit, importId));
  },
});
