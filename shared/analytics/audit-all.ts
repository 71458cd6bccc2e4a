/**
 * Nightly audit of the recent runs of all projects. Finds results that arrived after their run had ended and are
 * missing from analytics, because a process crashed before it marked the run as corrected.
 */
import { getProjectsSpan, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { visitOrganizations } from '#shared/organizations/visit-organizations.ts';
import type { CoreServices } from '#shared/services.ts';
import { auditRuns } from './audit-runs.ts';
import { ANALYTICS_LIMITS } from './limits.ts';

export interface AuditReport {
  readonly runs: number;
  readonly differing: number;
  readonly incomplete: number;
  /** Whether all organizations were audited. If time ran out, the next night continues with the remaining ones. */
  readonly finished: boolean;
}

/** Marks each run whose stored aggregates do not match its results, so that the next sweep computes them again. */
export async function runNightlyAudit(
  services: CoreServices,
  { remainingMilliseconds }: { readonly remainingMilliseconds: () => number },
): Promise<AuditReport> {
  const { table, now } = services;
  const from = now() - ANALYTICS_LIMITS.auditedMilliseconds;
  const total = { runs: 0, differing: 0, incomplete: 0 };
  const isFinished = await visitOrganizations(services, {
    work: 'audit-analytics',
    isTimeUp: () => remainingMilliseconds() < ANALYTICS_LIMITS.auditMarginMilliseconds,
    visit: async (organization) => {
      let rows = 0;
      for (const project of await table.queryAll(projectsOfOrganization, getProjectsSpan(organization))) {
        const { runs, differing, incomplete } = await auditRuns(services, project, { mode: 'repair', from });
        rows += runs;
        total.runs += runs;
        total.differing += differing;
        total.incomplete += incomplete;
      }
      return { rows, finished: true };
    },
  });
  return { ...total, finished: isFinished };
}
