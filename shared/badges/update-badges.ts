/**
 * Stores the state of a branch in its badges when a run of the branch ends, so that showing a badge requires no read of
 * a run.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { type BadgeState, badges, badgesOfProject, badgesSpan } from '#shared/model/organizations/badge.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';

/** Idempotent. The state from an older run never replaces the state from a newer run. */
export async function updateBadges(
  { table }: WithTable,
  key: Pick<Run, 'organizationId' | 'projectId' | 'runId'>,
): Promise<void> {
  const all = await table.queryAll(badgesOfProject, badgesSpan(key));
  if (all.length === 0) return;
  const run = await table.get(runs, key, { consistent: true });
  const state = run && stateOf(run);
  if (!state) return;
  const own = all.filter(({ branch }) => branch === run.commit.branch);
  await mapConcurrently(own, (badge) =>
    table.update(
      badges,
      badge,
      { set: [['state', state]] },
      {
        all: [
          { present: 'pk' },
          { any: [{ absent: 'state' }, { path: ['state', 'runCreatedAt'], atMost: state.runCreatedAt }] },
        ],
      },
    ),
  );
}

/** Returns `undefined` unless the run is complete, because any other run may lack the results of some tests. */
export function stateOf({ runId, createdAt, completionState, status, groups = [] }: Run): BadgeState | undefined {
  if (completionState !== 'COMPLETE') return undefined;
  const sum = (name: 'failures' | 'flaky') => groups.reduce((total, { tests }) => total + tests[name], 0);
  const hasFailed = status === 'FAILED';
  return { runId, runCreatedAt: createdAt, hasFailed, failures: sum('failures'), flaky: sum('flaky') };
}
