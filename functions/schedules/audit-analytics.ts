import { runNightlyAudit } from '#shared/analytics/audit-all.ts';
import { analyticsNames } from '#shared/model/analytics/names.ts';
import { pendingRuns } from '#shared/model/analytics/pending.ts';
import { spanRoots } from '#shared/model/analytics/root.ts';
import { summaryParts } from '#shared/model/analytics/summary.ts';
import { checkpoints } from '#shared/model/checkpoint.ts';
import { dueAnalytics } from '#shared/model/due.ts';
import { allOrganizations } from '#shared/model/organizations/organization.ts';
import { projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { instances } from '#shared/model/results/instance.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { runs, runsOfProject } from '#shared/model/runs/run.ts';
import { schedule } from '#shared/platform/schedule.ts';

export const handler = schedule({
  name: 'auditAnalytics',
  expression: 'cron(30 2 * * ? *)',
  access: {
    table: 'readWrite',
    reads: [
      allOrganizations,
      instances,
      projectsOfOrganization,
      runs,
      runsOfProject,
      spanRoots,
      summaryParts,
      testRecords,
    ],
    writes: [analyticsNames, checkpoints, dueAnalytics, pendingRuns],
    artifacts: 'none',
  },
  summary: 'Checks the aggregates of recent runs against their results',
  timeoutSeconds: 300,
  retrySeconds: 3600,
  metrics: ['differing'],
  handle: runNightlyAudit,
});
