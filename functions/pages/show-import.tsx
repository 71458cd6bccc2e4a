import { findImport } from '#shared/imports/find-import.ts';
import { ImportPage } from '#shared/pages/imports/import-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showImport',
  route: 'GET /{organizationId}/{projectId}/imports/{importId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { importId } }, services) {
    const storedImport = await findImport(services, { ...caller, importId });
    return { title: 'Import', tab: 'Runs', body: <ImportPage visit={visit} found={storedImport} /> };
  },
});
