/** §6 The commands for events and deliveries that could not be sent. */

import { listParkedRows, resendParkedRows } from '#shared/events/parked.ts';
import type { DomainEvent } from '#shared/model/events/domain-event.ts';
import type { OutboxRetry } from '#shared/model/events/outbox-retry.ts';
import { type CommandRow, command } from './command.ts';
import { formatTimeCell } from './screen.ts';

const formatEventName = (event: DomainEvent): string =>
  `${event.type} of ${event.runId}${event.type === 'RunDeleted' ? '' : `, ${event.groupId}`}`;

function formatContent(content: OutboxRetry['content']): string {
  if (content.kind === 'events') return content.events.map(formatEventName).join('; ');
  if (content.kind === 'unreadable') return 'unreadable';
  return `${content.kind} ${content.job.deliveryId}`;
}

const toParkedRow = ({ at, dueAt, tries, reason, content }: OutboxRetry): CommandRow => ({
  at: formatTimeCell(at),
  // Of a parked row, this is when it was parked.
  parkedAt: formatTimeCell(dueAt),
  tries,
  about: formatContent(content),
  reason,
});

export const OUTBOX = [
  command({
    name: 'outbox list',
    does: 'list parked events and deliveries, which are not retried anymore, oldest first',
    options: {},
    run: async ({ services, actor }) => (await listParkedRows(services, { actor })).map(toParkedRow),
  }),
  command({
    name: 'outbox resend',
    does: 'retry all parked events and deliveries within a minute',
    options: {},
    run: async ({ services, actor }) => (await resendParkedRows(services, { actor })).map(toParkedRow),
  }),
];
