/**
 * Stores the state of a branch in its badges when a run of the branch ends, so that showing a badge requires no read of
 * a run.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { type BadgeState, badges, badgesOfProject, getBadgesSpan } from '#shared/model/organizations/badge.ts';
import { sumCounters } from '#shared/model/results/outcomes.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { countMergedTests, readMergedBuild } from '#shared/results/builds/tries-of-build.ts';

/** The state from an older run never replaces that of a newer one, so calls may be repeated and come in any order. */
export async function updateBadges(
  { table }: WithTable,
  key: Pick<Run, 'organizationId' | 'projectId' | 'runId'>,
): Promise<void> {
  const all = await table.queryAll(badgesOfProject, getBadgesSpan(key));
  if (all.length === 0) return;
  const run = await table.get(runs, key, { consistent: true });
  const state = run && (await readBadgeState({ table }, run));
  if (!state) return;
  const branchBadges = all.filter(({ branch }) => branch === run.commit.branch);
  await mapConcurrently(branchBadges, (badge) =>
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

/**
 * Returns `undefined` unless the run is complete, because any other run may lack the results of some tests. For a build
 * with several tries, returns the state of their merged view.
 */
export async function readBadgeState(services: WithTable, run: Run): Promise<BadgeState | undefined> {
  const { runId, createdAt, completionState, status, groups = [] } = run;
  if (completionState !== 'COMPLETE') return undefined;
  const build = await readMergedBuild(services, run);
  const counters = build ? countMergedTests(build) : sumCounters(groups.map(({ tests }) => tests));
  const hasFailed = build ? build.state !== 'passed' : status === 'FAILED';
  const newestRun = build?.newest ?? { runId, createdAt };
  const { failures, flaky } = counters;
  return { runId: newestRun.runId, runCreatedAt: newestRun.createdAt, hasFailed, failures, flaky };
}
