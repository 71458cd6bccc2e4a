/** The edition of a project's read model that readers use. */
import { analyticsEpochs } from '#shared/model/analytics-epoch.ts';
import type { CoreServices } from '#shared/services.ts';
import type { AnalyticsScope } from './read-model.ts';

const FIRST_EPOCH = 1;

export async function currentEpoch(
  { table }: Pick<CoreServices, 'table'>,
  { organizationId, projectId }: AnalyticsScope,
): Promise<number> {
  const row = await table.get(analyticsEpochs, { organizationId, projectId });
  return row?.epoch ?? FIRST_EPOCH;
}
