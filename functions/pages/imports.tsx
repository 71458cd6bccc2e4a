import * as z from 'zod';
import { makeJsonContent, makeStateContent, redirect } from '#shared/engine/http/content.ts';
import { SentFile } from '#shared/engine/http/file-form.ts';
import { findImport } from '#shared/imports/find-import.ts';
import { IMPORT_LIMITS } from '#shared/imports/limits.ts';
import { queueFormImport } from '#shared/imports/queue-form-import.ts';
import { requestLink } from '#shared/imports/request-link.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { imports } from '#shared/model/runs/import.ts';
import { ImportPage, nameImport } from '#shared/pages/imports/import-page.tsx';
import { NewImportPage } from '#shared/pages/imports/new-import-page.tsx';
import { linkToImports, linkToRuns } from '#shared/pages/shell/hrefs.ts';
import { form, page } from '#shared/platform/page.ts';

export const showNewImport = page({
  operationId: 'showNewImport',
  route: 'GET /{organizationId}/{projectId}/imports/new',
  needs: 'runs:write',
  adds: true,
  access: { table: 'read', artifacts: 'none' },
  show({ visit, refused }, services) {
    const body = <NewImportPage visit={visit} refused={refused} origin={services.origin} />;
    const breadcrumbs = [{ name: 'Runs', href: linkToRuns(visit) }, { name: 'Import a report' }];
    return { title: 'Import a report', tab: 'Runs', breadcrumbs, script: 'import.js', uploads: true, body };
  },
});

export const submitImport = form({
  operationId: 'submitImport',
  route: 'POST /{organizationId}/{projectId}/imports/new',
  lambda: 'import-forms',
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
    const { actor, ...project } = caller;
    const request = { ...project, options: toImportOptions(report.name, branch), file: report.bytes };
    const { importId } = await queueFormImport(services, request, actor);
    return redirect(linkToImports(visit, importId));
  },
});

/** The end of a long file name says more than its beginning. An empty branch is none. */
function toImportOptions(fileName: string, branch: string | undefined) {
  const name = fileName.slice(-IMPORT_LIMITS.fileNameCharacters).toWellFormed();
  return branch ? { name, branch } : { name };
}

/** The script of the import form calls this function, and then uploads the file directly to S3. */
export const submitImportLink = form({
  operationId: 'submitImportLink',
  route: 'POST /{organizationId}/{projectId}/imports/links',
  lambda: 'import-forms',
  needs: 'runs:write',
  access: { table: 'readWrite', writes: [imports, auditRecords], artifacts: 'submit' },
  fields: z.object({ name: z.string(), branch: z.string().optional() }),
  page: 'showNewImport',
  async submit({ visit, caller, fields: { name, branch } }, services) {
    const request = { ...caller, options: toImportOptions(name, branch), action: 'runs:write' } as const;
    const { importId, uploadUrl } = await requestLink(services, request);
    return makeJsonContent({ uploadUrl, place: linkToImports(visit, importId) });
  },
});

export const showImport = page({
  operationId: 'showImport',
  route: 'GET /{organizationId}/{projectId}/imports/{importId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { importId } }, services) {
    const storedImport = await findImport(services, { ...caller, importId });
    const breadcrumbs = [{ name: 'Runs', href: linkToRuns(visit) }, { name: 'Import' }];
    return {
      title: nameImport(storedImport),
      tab: 'Runs',
      breadcrumbs,
      body: <ImportPage visit={visit} storedImport={storedImport} />,
    };
  },
});

/** The script of the import page polls it until the import has ended, and reads the page again when the tag changes. */
export const showImportLive = page({
  operationId: 'showImportLive',
  route: 'GET /{organizationId}/{projectId}/imports/{importId}/live',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ caller, path: { importId } }, services) {
    return makeStateContent(await findImport(services, { ...caller, importId }));
  },
});
