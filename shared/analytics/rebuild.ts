/**
 * Marks all ended runs of a project, so that the next sweeps compute their analytics aggregates again. This includes
 * runs that ended before the read model existed.
 */
import { put, remove } from '#shared/engine/table/writes.ts';
import { checkpoints } from '#shared/model/checkpoint.ts';
import type { CoreServices } from '#shared/services.ts';
import { type AuditResult, auditRuns } from './audit-runs.ts';
import type { AnalyticsScope } from './read-model.ts';

/** If a call was interrupted, the next call continues where it stopped. */
export async function rebuildAnalytics(
  services: CoreServices,
  scope: AnalyticsScope,
  onProgress: (soFar: AuditResult) => void,
): Promise<AuditResult> {
  const { table, now } = services;
  const work = `rebuild-analytics ${scope.organizationId} ${scope.projectId}`;
  const before = await table.get(checkpoints, { work }, { consistent: true });
  const onPage = async (soFar: AuditResult, position: string) => {
    onProgress(soFar);
    await table.writeMany([put(checkpoints, { work, position, savedAt: now() })]);
  };
  const result = await auditRuns(services, scope, { mode: 'rebuild', after: before?.position, onPage });
  await table.writeMany([remove(checkpoints, { work })]);
  return result;
}
