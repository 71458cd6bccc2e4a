import { NewImportPage } from '#shared/pages/imports/new-import-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showNewImport',
  route: 'GET /{organizationId}/{projectId}/imports/new',
  needs: 'runs:write',
  access: { table: 'read', artifacts: 'none' },
  show({ visit, refused }, services) {
    const body = <NewImportPage visit={visit} refused={refused} origin={services.origin} />;
    return { title: 'Import a report', tab: 'Runs', script: 'import.js', uploads: true, body };
  },
});
