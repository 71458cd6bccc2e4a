import { redirect } from '#shared/engine/http/content.ts';
import { page } from '#shared/platform/page.ts';
import { requireInstanceOfProject } from '#shared/results/run-of-project.ts';
import { linkToFile } from '#shared/results/test-files.ts';

/** Pages link here instead of to presigned URLs. The links work as long as the file exists, and hold no signature. */
export const handler = page({
  operationId: 'getFile',
  route: 'GET /{organizationId}/{projectId}/instances/{instanceId}/files/{fileId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  async show({ caller, path: { instanceId, fileId: objectName } }, services) {
    await requireInstanceOfProject(services, { ...caller, instanceId });
    return redirect(await linkToFile(services, { ...caller, instanceId, objectName }));
  },
});
