/** §6 Builds the domain events of a run. Texts are shortened, because receivers and transactions have limits. */
import { keepFirstTexts } from '#shared/engine/byte-budget.ts';
import { replaceInvalidCharacters } from '#shared/engine/queueable.ts';
import type { RunDeleted, RunEnded, RunEnding, RunStarted } from '#shared/model/events/domain-event.ts';
import type { Instance } from '#shared/model/results/instance.ts';
import { sumCounters } from '#shared/model/results/outcomes.ts';
import type { Group } from '#shared/model/runs/group.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import { EVENT_LIMITS } from './limits.ts';

interface RunChange {
  readonly run: Run;
  /** Each group that changed gets its own event. */
  readonly groups: readonly Pick<Group, 'groupId' | 'tags'>[];
  readonly instances: readonly Instance[];
  readonly hasSeveralGroups: boolean;
  /** In epoch milliseconds. */
  readonly at: number;
}

export const makeRunStarted = (change: RunChange): RunStarted[] =>
  listGroupFacts(change).map((facts) => ({ type: 'RunStarted', ...facts }));

/** `sameVerdict`: whether receivers know the verdict of a run that ends again. */
export const makeRunEnded = (
  ending: RunEnding,
  { sameVerdict, ...change }: RunChange & { readonly sameVerdict: boolean },
): RunEnded[] => {
  const { ends } = change.run;
  const again = ends === undefined ? {} : { end: ends, ...(sameVerdict && ({ sameVerdict } as const)) };
  return listGroupFacts(change).map((facts) => ({ type: 'RunEnded', ending, ...again, ...facts }));
};

export const makeRunDeleted = (run: Run, at: number): RunDeleted => ({
  type: 'RunDeleted',
  ...makeEventIdentity(run, at),
});

const makeEventIdentity = ({ organizationId, projectId, runId, createdAt }: Run, at: number) =>
  ({ version: 1, organizationId, projectId, runId, runCreatedAt: createdAt, occurredAt: at }) as const;

function listGroupFacts({ run, groups, instances, hasSeveralGroups, at }: RunChange) {
  const { sha, branch, authorName, authorEmail, message, remoteOrigin, defaultBranch } = run.commit;
  const tagBytes = Math.floor(EVENT_LIMITS.eventTagBytes / groups.length);
  return groups.map(({ groupId, tags }) => {
    const groupInstances = instances.filter((instance) => instance.groupId === groupId);
    const testTags = groupInstances.flatMap((instance) => instance.testTags);
    const { overall, passes, failures, pending, skipped, retries, flaky } = sumCounters(
      groupInstances.map(({ counters }) => counters),
    );
    return {
      ...makeEventIdentity(run, at),
      groupId,
      hasSeveralGroups,
      ciBuildId: run.ciBuildId,
      tags: keepFirstTexts(keepFirstTags(mergeTags(run.tags, tags, testTags)), tagBytes),
      commit: { sha, branch, authorName, authorEmail, message: shortenMessage(message), remoteOrigin, defaultBranch },
      counters: { overall, passes, failures, pending, skipped, retries, flaky },
      status: run.status,
    };
  });
}

function keepFirstTags(tags: readonly string[]): string[] {
  let left: number = EVENT_LIMITS.eventTagCharacters;
  return tags.filter((tag) => {
    left -= tag.length;
    return left >= 0;
  });
}

const shortenMessage = (message: string | null): string | null =>
  message === null ? null : replaceInvalidCharacters(message.slice(0, EVENT_LIMITS.eventMessageCharacters));
