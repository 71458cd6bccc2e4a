/**
 * §6 Domain events report changes of a run. The outbox stores the events, and each event is published on the event bus
 * under the name of its type. Each consumer translates them into its own format, for example into the request bodies of
 * webhooks. `version` changes whenever the format of events changes.
 */
import * as z from 'zod';
import type { RunStatus } from '#shared/model/runs/run.ts';

const nullable = z.string().nullable();
const count = z.int().nonnegative();

export const EventCommit = z.object({
  sha: nullable,
  branch: nullable,
  authorName: nullable,
  authorEmail: nullable,
  message: nullable,
  remoteOrigin: nullable,
  defaultBranch: nullable,
});
export type EventCommit = z.infer<typeof EventCommit>;

export const RunStatusName = z.enum(['RUNNING', 'FAILING', 'FAILED', 'PASSED'] satisfies RunStatus[]);

/** §6 Counters of the tests that have reported so far. */
export const EventCounters = z.object({
  overall: count,
  passes: count,
  failures: count,
  pending: count,
  skipped: count,
  retries: count,
  flaky: count,
});

/** The fields that all events have. Times are in epoch milliseconds. */
const identity = {
  version: z.literal(1),
  organizationId: z.string(),
  projectId: z.string(),
  runId: z.string(),
  runCreatedAt: z.int(),
  occurredAt: z.int(),
  /** Of the request or the run of a schedule that changed the run. */
  correlationId: z.string().optional(),
};

/** §6 The fields of the events about a group. A run emits a separate event for each of its groups. */
const group = {
  groupId: z.string(),
  hasSeveralGroups: z.boolean(),
  ciBuildId: z.string(),
  tags: z.array(z.string()),
  commit: EventCommit,
  counters: EventCounters,
  /** Of the whole run. Events that an earlier version stored have none. */
  status: RunStatusName.optional(),
};

export const RunEnding = z.enum(['finish', 'cancel', 'timeOut']);
export type RunEnding = z.infer<typeof RunEnding>;

export const RunStarted = z.object({ type: z.literal('RunStarted'), ...identity, ...group });
export type RunStarted = z.infer<typeof RunStarted>;

/**
 * `end`: how many times the run had ended before, absent at its first end. A late machine, job or file reopens a run.
 * `sameVerdict`: whether the run had the same verdict at its earlier end.
 */
export const RunEnded = z.object({
  type: z.literal('RunEnded'),
  ending: RunEnding,
  end: z.int().positive().optional(),
  sameVerdict: z.literal(true).optional(),
  ...identity,
  ...group,
});
export type RunEnded = z.infer<typeof RunEnded>;

export const RunDeleted = z.object({ type: z.literal('RunDeleted'), ...identity });
export type RunDeleted = z.infer<typeof RunDeleted>;

export const GroupEvent = z.discriminatedUnion('type', [RunStarted, RunEnded]);
export type GroupEvent = z.infer<typeof GroupEvent>;

export const DomainEvent = z.discriminatedUnion('type', [RunStarted, RunEnded, RunDeleted]);
export type DomainEvent = z.infer<typeof DomainEvent>;

/** The types of the events that are delivered to webhooks and notifications. */
export const GROUP_EVENT_TYPES = ['RunStarted', 'RunEnded'] as const satisfies readonly GroupEvent['type'][];
