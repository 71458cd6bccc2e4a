import { makeHtmlContent } from '#shared/engine/http/content.ts';
import { findImport } from '#shared/imports/find-import.ts';
import { ImportState } from '#shared/pages/imports/import-page.tsx';
import { page } from '#shared/platform/page.ts';

/** The part of the import page that its script polls until the import has ended. */
export const handler = page({
  operationId: 'showImportLive',
  route: 'GET /{organizationId}/{projectId}/imports/{importId}/live',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { importId } }, services) {
    const storedImport = await findImport(services, { ...caller, importId });
    return makeHtmlContent(String(<ImportState visit={visit} found={storedImport} />));
  },
});
