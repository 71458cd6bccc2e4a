/** §6 The body of a webhook request, with all its members. */
import * as z from 'zod';
import { EventCommit, EventCounters } from '#shared/model/events/domain-event.ts';
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
});

export type WebhookBody = z.infer<typeof WebhookBody>;
