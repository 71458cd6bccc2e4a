/** §6 The body of a webhook request, with all its members. Members that are added later are optional for receivers. */
import * as z from 'zod';
import { EventCommit, EventCounters, RunStatusName } from '#shared/model/events/domain-event.ts';
import { RunEventName } from '#shared/model/events/run-event.ts';

export const WebhookBody = z.object({
  event: RunEventName,
  runUrl: z.string(),
  buildId: z.string(),
  /** The id of the group, only for runs with more than one group. */
  groupId: z.string().optional(),
  tags: z.array(z.string()),
  commit: EventCommit,
  ...EventCounters.shape,
  /** Members beside those of §6, which receivers would otherwise take from `runUrl` and the counters. */
  runId: z.string(),
  projectId: z.string(),
  /** Of the whole run when the event happened. */
  status: RunStatusName.optional(),
});

export type WebhookBody = z.infer<typeof WebhookBody>;
