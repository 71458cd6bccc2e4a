/** §3 Counts the tests and instances of each group of a run. */
import { isJsonWithin } from '#shared/engine/byte-budget.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import {
  countKnownTests,
  hasFailed,
  type Instance,
  isComplete,
  isWaitingForParts,
} from '#shared/model/results/instance.ts';
import { sumCounters } from '#shared/model/results/outcomes.ts';
import type { Group } from '#shared/model/runs/group.ts';
import { type GroupSummary, isUnderWay, type Run } from '#shared/model/runs/run.ts';

/** `undefined` if the summary is too large for the row of the run. Readers then count the instances. */
export const keepIfStorable = (summary: readonly GroupSummary[]): readonly GroupSummary[] | undefined =>
  isJsonWithin(summary, MODEL_LIMITS.rowBytes.runSummary) ? summary : undefined;

/** `now`, in epoch milliseconds, is how far the durations of a run in progress reach. */
export function summarizeGroups(
  run: Pick<Run, 'completionState' | 'endedAt' | 'ran'>,
  groups: readonly Group[],
  instances: readonly Instance[],
  now: number,
): GroupSummary[] {
  const { endedAt = now, ran: importedDuration } = run;
  return groups.map((group) => {
    const groupInstances = instances.filter(({ groupId }) => groupId === group.groupId);
    const { groupId, platform, tags, environment, coverageEnabled } = group;
    const counters = groupInstances.map((instance) => instance.counters);
    return {
      groupId,
      platform,
      tags,
      environment,
      coverageEnabled,
      specCount: groupInstances.length,
      durationMs:
        importedDuration === undefined
          ? computeGroupDuration(groupInstances, endedAt)
          : deriveImportedDuration(importedDuration, groups),
      instances: countInstances(groupInstances, isUnderWay(run)),
      tests: {
        ...sumCounters(counters),
        tests: groupInstances.reduce((total, instance) => total + countKnownTests(instance), 0),
      },
    };
  });
}

function countInstances(instances: readonly Instance[], isRunning: boolean): GroupSummary['instances'] {
  const completeInstances = instances.filter(
    (instance) => isComplete(instance) && !(isRunning && isWaitingForParts(instance)),
  );
  return {
    overall: instances.length,
    claimed: instances.filter((instance) => instance.claims.length > 0 || isComplete(instance)).length,
    complete: completeInstances.length,
    passes: completeInstances.filter((instance) => !hasFailed(instance)).length,
    // An instance with a failed or skipped test counts as failed even before it is complete.
    failures: instances.filter(hasFailed).length,
  };
}

/** An import does not say how long each of several groups took, and 0 says that its report names no duration. */
const deriveImportedDuration = (runDuration: number, groups: readonly Group[]): number | null =>
  groups.length === 1 && runDuration > 0 ? runDuration : null;

/**
 * The time in milliseconds from the first claim to the last completion. If an instance is not complete, until the end
 * of the run. `null` before the first claim.
 */
function computeGroupDuration(instances: readonly Instance[], endOfRun: number): number | null {
  const starts = instances.flatMap(({ claims }) => claims.map(({ at }) => at));
  if (starts.length === 0) return null;
  const completions = instances.flatMap(({ completedAt }) => completedAt ?? []);
  const lastEnd = completions.length === instances.length ? Math.max(...completions) : endOfRun;
  return Math.max(0, lastEnd - Math.min(...starts));
}
