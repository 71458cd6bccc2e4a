/** §6 Translates a domain event into the body that webhook receivers get. */
import type { GroupEvent, RunEnding } from '#shared/model/events/domain-event.ts';
import type { RunEventName } from '#shared/model/events/run-event.ts';
import { runUrlOf } from '#shared/model/runs/run-url.ts';
import type { WebhookBody } from './body-wire.ts';

const NAMES: Readonly<Record<RunEnding, RunEventName>> = {
  finish: 'RUN_FINISH',
  cancel: 'RUN_CANCELED',
  timeOut: 'RUN_TIMEOUT',
};

export const webhookBody = (origin: string, event: GroupEvent): WebhookBody => ({
  event: event.type === 'RunStarted' ? 'RUN_START' : NAMES[event.ending],
  runUrl: runUrlOf(origin, event),
  buildId: event.ciBuildId,
  ...(event.hasSeveralGroups ? { groupId: event.groupId } : {}),
  tags: event.tags,
  commit: event.commit,
  ...event.counters,
});
