/**
 * §6 Builds the domain events of a run. Texts are shortened here, because receivers and transactions have size limits.
 */
import { firstWithin } from '#shared/engine/byte-budget.ts';
import { queueable } from '#shared/engine/queueable.ts';
import type { RunDeleted, RunEnded, RunEnding, RunStarted } from '#shared/model/events/domain-event.ts';
import type { Group } from '#shared/model/runs/group.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import type { Instance } from '#shared/model/tests/instance.ts';
import { sum } from '#shared/model/tests/outcomes.ts';
import { EVENT_LIMITS } from './limits.ts';

interface RunChange {
  readonly run: Run;
  /** The groups that changed. Each of them gets its own event. */
  readonly groups: readonly Pick<Group, 'groupId' | 'tags'>[];
  readonly instances: readonly Instance[];
  readonly hasSeveralGroups: boolean;
  /** Time of the event, in epoch milliseconds. */
  readonly at: number;
}

export const runStarted = (change: RunChange): RunStarted[] =>
  groupFacts(change).map((facts) => ({ type: 'RunStarted', ...facts }));

/** `sameVerdict`: whether receivers know the verdict of a run that ends again. */
export const runEnded = (
  ending: RunEnding,
  { sameVerdict, ...change }: RunChange & { readonly sameVerdict: boolean },
): RunEnded[] => {
  const { ends } = change.run;
  const again = ends === undefined ? {} : { end: ends, ...(sameVerdict && ({ sameVerdict } as const)) };
  return groupFacts(change).map((facts) => ({ type: 'RunEnded', ending, ...again, ...facts }));
};

export const runDeleted = (run: Run, at: number): RunDeleted => ({ type: 'RunDeleted', ...identityOf(run, at) });

const identityOf = ({ organizationId, projectId, runId, createdAt }: Run, at: number) =>
  ({ version: 1, organizationId, projectId, runId, runCreatedAt: createdAt, occurredAt: at }) as const;

function groupFacts({ run, groups, instances, hasSeveralGroups, at }: RunChange) {
  const { sha, branch, authorName, authorEmail, message, remoteOrigin, defaultBranch } = run.commit;
  const tagBytes = Math.floor(EVENT_LIMITS.eventTagBytes / groups.length);
  return groups.map(({ groupId, tags }) => {
    const own = instances.filter((instance) => instance.groupId === groupId);
    const testTags = own.flatMap((instance) => instance.testTags);
    const { overall, passes, failures, pending, skipped, retries, flaky } = sum(own.map(({ counters }) => counters));
    return {
      ...identityOf(run, at),
      groupId,
      hasSeveralGroups,
      ciBuildId: run.ciBuildId,
      tags: firstWithin(bounded(mergeTags(run.tags, tags, testTags)), tagBytes),
      commit: { sha, branch, authorName, authorEmail, message: shortened(message), remoteOrigin, defaultBranch },
      counters: { overall, passes, failures, pending, skipped, retries, flaky },
    };
  });
}

/** Keeps the first tags that fit into an event. */
function bounded(tags: readonly string[]): string[] {
  let left: number = EVENT_LIMITS.eventTagCharacters;
  return tags.filter((tag) => {
    left -= tag.length;
    return left >= 0;
  });
}

const shortened = (message: string | null): string | null =>
  message === null ? null : queueable(message.slice(0, EVENT_LIMITS.eventMessageCharacters));
