/** §6 What a webhook says of one group of a run: the tests that have reported, and whose run it is. */
import { LIMITS } from '../limits.ts';
import { sum } from '../outcomes.ts';
import type { Group } from '../resources/group.ts';
import { countersOf, type Instance, tagsOf } from '../resources/instance.ts';
import type { Run } from '../resources/run.ts';
import type { RunEvent, RunEventName } from '../resources/run-event.ts';
import { mergeTags } from '../tags.ts';

export interface Told {
  readonly event: RunEventName;
  readonly run: Run;
  /** The groups that it is about, each with a message of its own. */
  readonly groups: readonly Pick<Group, 'groupId' | 'tags'>[];
  readonly instances: readonly Instance[];
  /** Whether the run has other groups, too. */
  readonly several: boolean;
  /** Milliseconds. */
  readonly at: number;
}

export function eventsOf(origin: string, { event, run, groups, instances, several, at }: Told): RunEvent[] {
  const { organizationId, projectId, runId, createdAt: runCreatedAt, commit, ciBuildId } = run;
  return groups.map(({ groupId, tags }) => {
    const own = instances.filter((instance) => instance.groupId === groupId);
    const testTags = own.flatMap(tagsOf);
    const { overall, passes, failures, pending, skipped, retries, flaky } = sum(own.map(countersOf));
    const { sha, branch, authorName, authorEmail, message, remoteOrigin, defaultBranch } = commit;
    const payload = {
      event,
      runUrl: runUrlOf(origin, runId),
      buildId: ciBuildId,
      ...(several ? { groupId } : {}),
      tags: bounded(mergeTags(run.tags, tags, testTags)),
      commit: { sha, branch, authorName, authorEmail, message: shortened(message), remoteOrigin, defaultBranch },
      ...{ overall, passes, failures, pending, skipped, retries, flaky },
    };
    return { organizationId, projectId, runId, runCreatedAt, group: groupId, occurredAt: at, payload };
  });
}

/** As many of them as an event can carry. */
function bounded(tags: readonly string[]): string[] {
  let left: number = LIMITS.eventTagCharacters;
  return tags.filter((tag) => {
    left -= tag.length;
    return left >= 0;
  });
}

const shortened = (message: string | null): string | null =>
  message?.slice(0, LIMITS.eventMessageCharacters).toWellFormed() ?? null;

/** Where people look at a run. */
export const runUrlOf = (origin: string, runId: string): string => `${origin}/v1/runs/${runId}`;
