/** Finds late results whose mark was lost between two writes, in the recent runs of all projects. */
import { put, remove } from '#shared/engine/table/writes.ts';
import { checkpoints } from '#shared/model/checkpoint.ts';
import { allOrganizations, allOrganizationsSpan } from '#shared/model/organization.ts';
import { projectsOfOrganization, projectsSpan } from '#shared/model/project.ts';
import type { CoreServices } from '#shared/services.ts';
import { auditRuns } from './audit-runs.ts';
import { ANALYTICS_LIMITS } from './limits.ts';

interface Time {
  readonly remainingMilliseconds: () => number;
}

export interface AuditReport {
  readonly runs: number;
  readonly differing: number;
  readonly incomplete: number;
  readonly finished: boolean;
}

const WORK = { work: 'audit-analytics' };

/** Differing runs are compiled again. The next night continues where the time limit ended this one. */
export async function auditAll(services: CoreServices, time: Time): Promise<AuditReport> {
  const { table, now } = services;
  const from = now() - ANALYTICS_LIMITS.auditedMilliseconds;
  const checkpoint = await table.get(checkpoints, WORK, { consistent: true });
  const { rows } = await table.query(allOrganizations, startingAfter(checkpoint?.position));
  const total = { runs: 0, differing: 0, incomplete: 0 };
  for (const { sk, item } of rows) {
    for (const project of await table.queryAll(projectsOfOrganization, projectsSpan(item))) {
      const { runs, differing, incomplete } = await auditRuns(services, project, { mode: 'repair', from });
      total.runs += runs;
      total.differing += differing;
      total.incomplete += incomplete;
    }
    if (time.remainingMilliseconds() < ANALYTICS_LIMITS.auditMarginMilliseconds) {
      await table.writeMany([put(checkpoints, { ...WORK, position: sk, savedAt: now() })]);
      return { ...total, finished: false };
    }
  }
  if (checkpoint) await table.writeMany([remove(checkpoints, WORK)]);
  return { ...total, finished: true };
}

const startingAfter = (position: string | undefined) =>
  position === undefined ? allOrganizationsSpan : { ...allOrganizationsSpan, from: `${position}\u0000` };
