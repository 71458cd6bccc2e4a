import { exportDays } from '#shared/analytics/exports/export-days.ts';
import { exportedDays } from '#shared/model/analytics/exported-day.ts';
import { spanRoots } from '#shared/model/analytics/root.ts';
import { checkpoints } from '#shared/model/checkpoint.ts';
import { allOrganizations } from '#shared/model/organizations/organization.ts';
import { projects, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { instances } from '#shared/model/results/instance.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { runs, runsOfProject } from '#shared/model/runs/run.ts';
import { connectExports } from '#shared/platform/connect.ts';
import { schedule } from '#shared/platform/schedule.ts';

const exports = connectExports();

export const handler = schedule({
  name: 'exportDays',
  expression: 'cron(15 * * * ? *)',
  access: {
    table: 'readWrite',
    reads: [allOrganizations, instances, projects, projectsOfOrganization, runs, runsOfProject, spanRoots, testRecords],
    writes: [checkpoints, exportedDays],
    artifacts: 'exportWrite',
  },
  summary: 'Exports each day of each project as Parquet, if the environment has daily exports',
  timeoutSeconds: 600,
  memoryMegabytes: 1769,
  retrySeconds: 600,
  metrics: ['days', 'rows', 'failed'],
  handle: (services, run) => exportDays({ ...services, ...exports() }, run),
});
