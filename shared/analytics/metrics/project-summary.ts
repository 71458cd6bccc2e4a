/** Summarizes the state of a project in a few numbers, computed from its ended runs. */

import { sumCounters } from '#shared/model/results/outcomes.ts';
import type { RunStatus } from '#shared/model/runs/run.ts';
import type { Period, RunGroupFacts } from '../read-model.ts';
import { computeInsights } from './insights.ts';
import type { InsightMetrics } from './insights-wire.ts';

interface LastRun {
  readonly runId: string;
  readonly createdAt: number;
  readonly status: RunStatus;
  /** Number of failed tests and number of flaky tests in the run. Skipped tests count as failed. */
  readonly failures: number;
  readonly flaky: number;
}

export interface ProjectSummary {
  readonly overall: InsightMetrics;
  /** The number of failed runs on each day. */
  readonly days: readonly { readonly at: number; readonly value: number }[];
  /** The latest completed run of the default branch. */
  readonly last: LastRun | undefined;
}

export function summarizeProject(
  groups: readonly RunGroupFacts[],
  { period, defaultBranch }: { readonly period: Period; readonly defaultBranch: string },
): ProjectSummary {
  const { overall, timeline } = computeInsights(groups, [], { period, resolution: '1d' });
  const days = Object.entries(timeline).map(([at, { runs }]) => ({ at: Number(at), value: runs.failed }));
  return { overall, days, last: findLastRun(groups, defaultBranch) };
}

function findLastRun(groups: readonly RunGroupFacts[], branch: string): LastRun | undefined {
  const branchGroups = groups.filter((group) => group.branch === branch && group.completionState === 'COMPLETE');
  const newestGroup = branchGroups.reduce<RunGroupFacts | undefined>(
    (last, group) => (last === undefined || group.createdAt > last.createdAt ? group : last),
    undefined,
  );
  if (!newestGroup) return undefined;
  const { runId, createdAt, status } = newestGroup;
  const tests = sumCounters(branchGroups.filter((group) => group.runId === runId).map(({ counters }) => counters));
  return { runId, createdAt, status, failures: tests.failures + tests.skipped, flaky: tests.flaky };
}
