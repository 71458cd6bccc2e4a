/** The page that leads to a file: a short link without a signature, which works as long as the file exists. */
import type { ProjectKey } from '#shared/model/keys.ts';

/** Takes a signed link of a file. The last two segments of its path are the instance and the name of the object. */
export function makeFilePageLink({ organizationId, projectId }: ProjectKey, origin: string, signedUrl: string): string {
  const [instanceId = '', objectName = ''] = new URL(signedUrl).pathname.split('/').slice(-2);
  return `${origin}/${organizationId}/${projectId}/instances/${instanceId}/files/${objectName}`;
}
