/** Runs put straight into the table: for lists too long to record, and for states that no reporter brings about. */
import { NO_COMMIT } from '#shared/resources/commit.ts';
import { type Run, runs, runsOfProject } from '#shared/resources/run.ts';
import type { Services } from '#shared/services.ts';
import { put } from '#shared/table/writes.ts';
import type { HistoryOwner } from './history.ts';

/** A run id that sorts like the number. */
export const runIdOf = (number: number): string => number.toString(16).padStart(16, '0');

/** A completed, passed run without groups, unless told otherwise. Runs of one organization need ids of their own. */
export const runItem = ({ organizationId, projectId }: HistoryOwner, more: Partial<Run> = {}): Run => ({
  organizationId,
  projectId,
  runId: runIdOf(1),
  ciBuildId: `build ${more.runId ?? 1}`,
  createdAt: Date.parse('2026-11-02T09:00:00Z'),
  endedAt: Date.parse('2026-11-02T09:05:00Z'),
  status: 'PASSED',
  completionState: 'COMPLETE',
  tags: [],
  groupTags: [],
  environments: [],
  commit: NO_COMMIT,
  framework: { type: 'pw', version: '1.65.1', clientVersion: '2.5.0' },
  createdBy: 'nobody',
  suites: {},
  groupsStarted: 0,
  instancesExpected: 0,
  instancesComplete: 0,
  inactivityTimeoutSeconds: 1800,
  dueAt: Date.parse('2026-11-02T09:30:00Z'),
  version: 1,
  groups: [],
  ...more,
});

export const storeRuns = ({ table }: Pick<Services, 'table'>, items: readonly Run[]): Promise<void> =>
  table.writeMany(items.flatMap((item) => [put(runs, item), put(runsOfProject, item)]));
