/** §6 Writes domain events to the outbox, in the same transaction that changes the state of the run. */

import { chunksWithin } from '#shared/engine/chunks.ts';
import { digest } from '#shared/engine/table/keys.ts';
import { type Put, put } from '#shared/engine/table/writes.ts';
import type { DomainEvent } from '#shared/model/events/domain-event.ts';
import { outbox, outboxRow } from '#shared/model/events/outbox.ts';
import { EVENT_LIMITS } from './limits.ts';

const ID_CHARACTERS = 16;

/** The order of a run's events if they happen in the same millisecond. */
const RANKS: Readonly<Record<DomainEvent['type'], number>> = { RunStarted: 0, RunEnded: 1, RunDeleted: 2 };

/** A later end of a run sorts after its earlier ends, whose ids continue with hexadecimal digits. */
const endRank = (end: number): string => `z${String(end).padStart(END_DIGITS, '0')}`;
const END_DIGITS = 6;

/**
 * Packs the events of many groups into few rows, because the transaction that ends a run ends all its groups and can
 * contain at most 100 items.
 */
export function outboxPuts(events: readonly DomainEvent[]): Put[] {
  return chunksWithin(events, OUTBOX_ROW, ownBytes).map(([first, ...more]) => {
    const { organizationId, runId, runCreatedAt, occurredAt: at, type } = first;
    const about = `${organizationId} ${runId}`;
    const group = type === 'RunDeleted' ? '' : first.groupId;
    const own = digest(ID_CHARACTERS, about, String(runCreatedAt), type, group);
    const end = type === 'RunEnded' && first.end !== undefined ? endRank(first.end) : '';
    const outboxId = `${RANKS[type]}${end}${own}`;
    const content = { kind: 'events', events: [first, ...more] } as const;
    return put(outbox, outboxRow(about, { at, outboxId, content }));
  });
}

const OUTBOX_ROW = { most: EVENT_LIMITS.eventsPerOutboxRow, bytes: EVENT_LIMITS.outboxRowBytes };

/**
 * The size of an event in a row of several events. Only the group id and the tags are measured: a row stores the commit,
 * the longest part, only once for all its events.
 */
const ownBytes = (event: DomainEvent): number =>
  Buffer.byteLength(JSON.stringify(event.type === 'RunDeleted' ? [] : [event.groupId, event.tags]));
