/** The commands that check and rebuild the aggregates of analytics. */
import { type Audited, auditRuns } from '#shared/analytics/audit-runs.ts';
import { rebuild } from '#shared/analytics/rebuild.ts';
import { type CommandRow, command } from './command.ts';
import { organization, project } from './options.ts';
import { timeCell } from './rows.ts';
import type { Terminal } from './terminal.ts';

const countsOf = ({ runs, differing, incomplete }: Audited): CommandRow => ({
  runs: String(runs),
  differing: String(differing),
  incomplete: String(incomplete),
});

const progressOn =
  ({ errors }: Terminal) =>
  ({ runs }: Audited): void =>
    void errors.write(`... ${runs} runs\n`);

export const ANALYTICS = [
  command({
    name: 'analytics check',
    does: 'compare the totals of a project with its runs, and list the six-hour windows that differ',
    options: { organization, project },
    run: async ({ services }, { organization: organizationId, project: projectId }) => {
      const { leaves, ...counts } = await auditRuns(services, { organizationId, projectId }, { mode: 'check' });
      return leaves.length === 0
        ? [countsOf({ ...counts, leaves })]
        : leaves.map((leaf) => ({ ...countsOf({ ...counts, leaves }), from: timeCell(leaf) }));
    },
  }),
  command({
    name: 'analytics rebuild',
    does: 'mark the ended runs of a project, so that the sweep of each minute recomputes their totals',
    options: { organization, project },
    run: async ({ services, terminal }, { organization: organizationId, project: projectId }) => {
      const { runs } = await rebuild(services, { organizationId, projectId }, progressOn(terminal));
      return [{ runs: String(runs) }];
    },
  }),
];
