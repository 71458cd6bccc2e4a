/** §5.3 Lists the shares of a project, newest first, without their secrets. */
import { readListedItems } from '#shared/engine/table/listed.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { findProject } from '#shared/find-project.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { getSharesSpan, type Share, shares, sharesOfProject } from '#shared/model/organizations/share.ts';

export async function listShares({ table }: WithTable, key: ProjectKey): Promise<Share[]> {
  const [all] = await Promise.all([
    readListedItems(table, sharesOfProject, getSharesSpan(key), shares),
    findProject({ table }, key),
  ]);
  return all.toReversed();
}
