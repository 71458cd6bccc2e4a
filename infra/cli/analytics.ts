/** The commands that check and rebuild the aggregates of analytics, and export test executions. */

import { auditRuns } from '#shared/analytics/audit-runs.ts';
import { rebuildAnalytics } from '#shared/analytics/rebuild.ts';
import { notFound } from '#shared/engine/errors.ts';
import { listOrganizationProjects } from '#shared/organizations/organization-projects.ts';
import { type CommandRow, command } from './command.ts';
import { exportProject } from './export-project.ts';
import { openTarget } from './export-target.ts';
import { dayOption, flagOption, optional, organization, project, textOption } from './options.ts';
import { formatTimeCell } from './screen.ts';
import { makeProgressReporter } from './terminal/progress.ts';
import { UsageError } from './terminal/usage-error.ts';

export const ANALYTICS = [
  command({
    name: 'analytics check',
    does: 'compare the totals of a project with its runs, and list the six-hour windows that differ',
    options: { organization, project },
    run: async ({ services }, { organization: organizationId, project: projectId }) => {
      const { leaves, ...counts } = await auditRuns(services, { organizationId, projectId }, { mode: 'check' });
      return leaves.length === 0 ? [counts] : leaves.map((leaf) => ({ ...counts, from: formatTimeCell(leaf) }));
    },
  }),
  command({
    name: 'analytics rebuild',
    does: 'mark the ended runs of a project, so that a sweep, which runs every minute, recomputes their totals',
    options: { organization, project },
    run: async ({ services, terminal }, { organization: organizationId, project: projectId }) => {
      const { runs } = await rebuildAnalytics(services, { organizationId, projectId }, (soFar) => {
        terminal.errors.write(`... ${soFar.runs} runs\n`);
      });
      return [{ runs }];
    },
  }),
  command({
    name: 'analytics export',
    does: 'write one Parquet file per project and day with the test executions of ended runs; repeat it to bring the files up to date',
    options: {
      organization,
      parquet: flagOption('the format of the files'),
      project: optional(project),
      from: optional(dayOption('first UTC day')),
      until: optional(dayOption('last UTC day')),
      to: textOption('<folder>|s3://<bucket>/<prefix>', 'where to write the files'),
    },
    run: async (
      { services, actor, terminal },
      { organization: organizationId, parquet, project: only, to, ...range },
    ) => {
      if (!parquet) throw new UsageError('Missing --parquet. Parquet is the only format of the export');
      const { from, until } = range;
      if (from !== undefined && until !== undefined && from > until)
        throw new UsageError('--from must not be later than --until');
      const allProjects = await listOrganizationProjects(services, { organizationId, actor });
      const projects = allProjects.filter(({ projectId }) => only === undefined || projectId === only);
      if (only !== undefined && projects.length === 0) throw notFound('Project');
      const target = await openTarget(to);
      const onProgress = makeProgressReporter(
        terminal,
        ({ day, rows }: { readonly day: string; readonly rows: number }) => `${rows} executions up to ${day}`,
      );
      const rows: CommandRow[] = [];
      for (const { projectId } of projects) {
        const counts = await exportProject(services, { organizationId, projectId }, { ...range, target, onProgress });
        rows.push({ projectId, ...counts });
      }
      return rows;
    },
  }),
];
