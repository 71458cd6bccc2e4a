import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { page } from '#shared/platform/page.ts';
import { linkToFile } from '#shared/results/test-files.ts';

/** Links of pages lead here, so that they never expire and contain no signature. */
export const handler = page({
  operationId: 'getFile',
  route: 'GET /{organizationId}/{projectId}/instances/{instanceId}/files/{fileId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  path: { instanceId: id, fileId: id },
  async show({ visit: { organizationId }, path: { instanceId, fileId: objectName } }, services) {
    return redirect(await linkToFile(services, { organizationId, instanceId, objectName }));
  },
});
