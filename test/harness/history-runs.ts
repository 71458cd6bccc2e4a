/** Writes runs directly to the table, for long lists and for states that no reporter produces. */

import { put } from '#shared/engine/table/writes.ts';
import { NO_COMMIT } from '#shared/model/runs/commit.ts';
import { NEVER } from '#shared/model/runs/expiry.ts';
import { type Run, runs, runsOfProject } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import type { HistoryOwner } from './history.ts';

/** Returns a run id that sorts like the number. */
export const runIdOf = (number: number): string => number.toString(16).padStart(16, '0');

/**
 * Returns a run, which by default is complete, has passed and has no groups. Run ids must be unique within an
 * organization.
 */
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
  testsExpected: 0,
  inactivityTimeoutSeconds: 1800,
  dueAt: Date.parse('2026-11-02T09:30:00Z'),
  resets: 0,
  version: 1,
  expiry: NEVER,
  groups: [],
  ...more,
});

export const storeRuns = ({ table }: Pick<Services, 'table'>, items: readonly Run[]): Promise<void> =>
  table.writeMany(
    items.flatMap((item) => [put(runs, item), put(runsOfProject, { ...item, expiresAt: item.expiry.results })]),
  );
