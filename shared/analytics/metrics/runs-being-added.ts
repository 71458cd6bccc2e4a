/** Tells whether the totals still lack a run that just ended. The next sweep adds it within a minute. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { getLeaf, getPendingRunsSpan, pendingRuns } from '#shared/model/analytics/pending.ts';
import type { WithClock } from '#shared/services.ts';
import type { AnalyticsScope } from '../read-model.ts';

/** Searched before the current leaf span, because a run that just ended may have started in one of them. */
const EARLIER_LEAVES = 4;

/** Costs one query. Misses runs older than `EARLIER_LEAVES` leaf spans, but hardly any run lasts that long. */
export async function hasRunsBeingAdded(
  { table, now }: WithClock,
  { organizationId, projectId }: AnalyticsScope,
): Promise<boolean> {
  const last = getLeaf(now());
  const span = getPendingRunsSpan({ organizationId, projectId }, last - EARLIER_LEAVES, last);
  const rows = await table.queryAll(pendingRuns, span);
  return rows.some(({ packed, corrects, gone }) => !packed && !corrects && !gone);
}

export async function hasAnyProjectRunsBeingAdded(
  services: WithClock,
  {
    organizationId,
    projects,
  }: Pick<AnalyticsScope, 'organizationId'> & { readonly projects: readonly { readonly projectId: string }[] },
): Promise<boolean> {
  const answers = await mapConcurrently(projects, ({ projectId }) =>
    hasRunsBeingAdded(services, { organizationId, projectId }),
  );
  return answers.includes(true);
}
