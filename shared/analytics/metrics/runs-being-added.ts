/** Tells whether the totals still lack a run that just ended. The next sweep adds it within a minute. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { getLeaf, getPendingRunsSpan, pendingRuns } from '#shared/model/analytics/pending.ts';
import type { WithClock } from '#shared/services.ts';
import type { AnalyticsScope } from '../read-model.ts';

/**
 * Number of leaf spans before the current one that are searched, because a run that just ended may have started in one
 * of them.
 */
const EARLIER_LEAVES = 4;

/**
 * Whether the totals still lack a run that just ended. Costs one query. Does not notice a run that was created more
 * than `EARLIER_LEAVES` leaf spans before the current one, but hardly any run lasts that long.
 */
export async function runsAreBeingAdded(
  { table, now }: WithClock,
  { organizationId, projectId }: AnalyticsScope,
): Promise<boolean> {
  const last = getLeaf(now());
  const span = getPendingRunsSpan({ organizationId, projectId }, last - EARLIER_LEAVES, last);
  const rows = await table.queryAll(pendingRuns, span);
  return rows.some(({ packed, corrects, gone }) => !packed && !corrects && !gone);
}

export async function anyRunsAreBeingAdded(
  services: WithClock,
  {
    organizationId,
    projects,
  }: Pick<AnalyticsScope, 'organizationId'> & { readonly projects: readonly { readonly projectId: string }[] },
): Promise<boolean> {
  const found = await mapConcurrently(projects, ({ projectId }) =>
    runsAreBeingAdded(services, { organizationId, projectId }),
  );
  return found.includes(true);
}
