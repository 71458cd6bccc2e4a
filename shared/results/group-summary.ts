/** A run's groups with their counters (§3), from its instances: live while it runs, stored once it has ended. */
import { type Counters, sum } from '../outcomes.ts';
import type { Group } from '../resources/group.ts';
import { countersOf, type Instance, isComplete } from '../resources/instance.ts';
import type { GroupSummary, Run } from '../resources/run.ts';

/** `until`: when the run ended, or now. Milliseconds. */
export function summarize(
  run: Pick<Run, 'completionState'> & { readonly endedAt?: number },
  groups: readonly Group[],
  instances: readonly Instance[],
  until: number,
): GroupSummary[] {
  return groups.map((group) => {
    const own = instances.filter(({ groupId }) => groupId === group.groupId);
    const { groupId, platform, tags, environment, coverageEnabled } = group;
    const counters = own.map(countersOf);
    return {
      groupId,
      platform,
      tags,
      environment,
      coverageEnabled,
      specCount: own.length,
      durationMs: durationOf(own, run.endedAt, until),
      instances: instanceCounters(own, counters),
      tests: { ...sum(counters), tests: own.reduce((total, { results }) => total + Object.keys(results).length, 0) },
    };
  });
}

function instanceCounters(instances: readonly Instance[], counters: readonly Counters[]): GroupSummary['instances'] {
  const verdicts = instances.map((instance, index) => {
    const { failures = 0, skipped = 0 } = counters[index] ?? {};
    // An instance with a failed or skipped test counts as failed, complete or not.
    return failures + skipped > 0 ? 'failed' : isComplete(instance) ? 'passed' : 'open';
  });
  return {
    overall: instances.length,
    claimed: instances.filter(({ claims, completedAt }) => claims.length > 0 || completedAt !== undefined).length,
    complete: instances.filter(isComplete).length,
    passes: verdicts.filter((verdict) => verdict === 'passed').length,
    failures: verdicts.filter((verdict) => verdict === 'failed').length,
  };
}

/** From the first claim to the last completion; `null` before anything was claimed. */
function durationOf(instances: readonly Instance[], endedAt: number | undefined, until: number): number | null {
  const starts = instances.flatMap(({ claims }) => claims.map(({ at }) => at));
  if (starts.length === 0) return null;
  const allDone = instances.every(({ completedAt }) => completedAt !== undefined);
  const ends = allDone ? instances.map(({ completedAt = until }) => completedAt) : [endedAt ?? until];
  return Math.max(0, Math.max(...ends) - Math.min(...starts));
}
