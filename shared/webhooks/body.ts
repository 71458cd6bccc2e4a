/** §6 Translates a domain event into the body that webhook receivers get. */
import * as z from 'zod';
import { EventCommit, EventCounters, type GroupEvent, type RunEnding } from '#shared/model/domain-event.ts';
import { RunEventName } from '#shared/model/run-event.ts';
import { runUrlOf } from '#shared/model/run-url.ts';

/** §6 The body has exactly these members. */
export const WebhookBody = z.object({
  event: RunEventName,
  runUrl: z.string(),
  buildId: z.string(),
  /** Only for runs with more than one group. */
  groupId: z.string().optional(),
  tags: z.array(z.string()),
  commit: EventCommit,
  ...EventCounters.shape,
});
export type WebhookBody = z.infer<typeof WebhookBody>;

const NAMES: Readonly<Record<RunEnding, RunEventName>> = {
  finish: 'RUN_FINISH',
  cancel: 'RUN_CANCELED',
  timeOut: 'RUN_TIMEOUT',
};

export const webhookBody = (origin: string, event: GroupEvent): WebhookBody => ({
  event: event.type === 'RunStarted' ? 'RUN_START' : NAMES[event.ending],
  runUrl: runUrlOf(origin, event.runId),
  buildId: event.ciBuildId,
  ...(event.hasSeveralGroups ? { groupId: event.groupId } : {}),
  tags: event.tags,
  commit: event.commit,
  ...event.counters,
});
