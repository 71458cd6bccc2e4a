/** §5.3 Lists the shares of a project, newest first, without their secrets. */
import { findProject } from '#shared/find-project.ts';
import { type Share, shares, sharesOfProject, sharesSpan } from '#shared/model/organizations/share.ts';
import type { CoreServices } from '#shared/services.ts';

interface ProjectKey {
  readonly organizationId: string;
  readonly projectId: string;
}

export async function listShares({ table }: Pick<CoreServices, 'table'>, key: ProjectKey): Promise<Share[]> {
  const [pointers] = await Promise.all([
    table.queryAll(sharesOfProject, sharesSpan(key), { consistent: true }),
    findProject({ table }, key),
  ]);
  const found = await table.getMany(shares, pointers, { consistent: true });
  return found.flatMap((share) => share ?? []).toReversed();
}
