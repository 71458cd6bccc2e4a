/** §5.3 Lists the shares of a project, newest first, without their secrets. */
import { notFound } from '#shared/engine/errors.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { type Share, shares, sharesOfProject, sharesSpan } from '#shared/model/organizations/share.ts';
import type { CoreServices } from '#shared/services.ts';

interface ProjectKey {
  readonly organizationId: string;
  readonly projectId: string;
}

export async function listShares({ table }: Pick<CoreServices, 'table'>, key: ProjectKey): Promise<Share[]> {
  const [project, pointers] = await Promise.all([
    table.get(projects, key),
    table.queryAll(sharesOfProject, sharesSpan(key), { consistent: true }),
  ]);
  if (!project) throw notFound('Project');
  const found = await table.getMany(shares, pointers, { consistent: true });
  return found.flatMap((share) => share ?? []).toReversed();
}
