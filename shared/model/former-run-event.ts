/**
 * §6 The event format of an earlier version: webhook bodies with ids. Pending rows and messages in that format are
 * converted, so a deployment loses none.
 */
import * as z from 'zod';
import { EventCommit, EventCounters, type GroupEvent, type RunEnding } from './domain-event.ts';
import { RunEventName } from './run-event.ts';

export const FormerRunEvent = z.object({
  organizationId: z.string(),
  projectId: z.string(),
  runId: z.string(),
  runCreatedAt: z.int(),
  group: z.string(),
  occurredAt: z.int(),
  payload: EventCounters.extend({
    event: RunEventName,
    buildId: z.string(),
    groupId: z.string().optional(),
    tags: z.array(z.string()),
    commit: EventCommit,
  }),
});
export type FormerRunEvent = z.infer<typeof FormerRunEvent>;

const ENDINGS: Readonly<Record<Exclude<RunEventName, 'RUN_START'>, RunEnding>> = {
  RUN_FINISH: 'finish',
  RUN_CANCELED: 'cancel',
  RUN_TIMEOUT: 'timeOut',
};

export function fromFormer({ group, payload, ...identity }: FormerRunEvent): GroupEvent {
  const { event, buildId, groupId, tags, commit, ...counters } = payload;
  const { overall, passes, failures, pending, skipped, retries, flaky } = counters;
  const facts = {
    version: 1 as const,
    ...identity,
    groupId: group,
    hasSeveralGroups: groupId !== undefined,
    ciBuildId: buildId,
    tags,
    commit,
    counters: { overall, passes, failures, pending, skipped, retries, flaky },
  };
  return event === 'RUN_START'
    ? { type: 'RunStarted', ...facts }
    : { type: 'RunEnded', ending: ENDINGS[event], ...facts };
}
