import { findImport } from '#shared/imports/find-import.ts';
import { id } from '#shared/model/names.ts';
import { ImportPage } from '#shared/pages/imports/import-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showImport',
  route: 'GET /{organizationId}/{projectId}/imports/{importId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  path: { importId: id },
  async show({ visit, path: { importId } }, services) {
    const { organizationId, projectId } = visit;
    const found = await findImport(services, { organizationId, projectId, importId });
    return { title: 'Import', tab: 'Runs', body: <ImportPage visit={visit} found={found} /> };
  },
});
