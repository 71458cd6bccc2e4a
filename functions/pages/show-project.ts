import { redirect } from '#shared/engine/http/content.ts';
import { linkToRuns } from '#shared/pages/shell/hrefs.ts';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showProject',
  route: 'GET /{organizationId}/{projectId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  show: ({ visit }) => redirect(linkToRuns(visit)),
});
