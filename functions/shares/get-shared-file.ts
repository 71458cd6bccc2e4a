import { redirect } from '#shared/engine/http/content.ts';
import { page } from '#shared/platform/page.ts';
import { linkToFile } from '#shared/results/test-files.ts';
import { readShare, requireFileWithin } from '#shared/shares/open-share.ts';
import { READ_FOR_SHARES } from '#shared/shares/rows.ts';
import { readCookies } from '#shared/sign-in/cookies.ts';

/**
 * The shared page links here instead of to presigned URLs, so that its links stop working as soon as the share has
 * expired or been revoked. A presigned URL that was handed out earlier stays valid for some minutes.
 */
export const handler = page({
  operationId: 'getSharedFile',
  route: 'GET /shared/files/{instanceId}/{fileId}',
  needs: 'public',
  access: { table: 'read', reads: READ_FOR_SHARES, artifacts: 'read' },
  async show({ path: { instanceId, fileId: objectName }, header }, services) {
    const share = await readShare(services, readCookies(header('cookie')).share);
    requireFileWithin(share, { instanceId, objectName });
    const { organizationId } = share;
    return redirect(await linkToFile(services, { organizationId, instanceId, objectName }));
  },
});
