/** §6 Writes domain events to the outbox, in the same transaction that changes the state of the run. */

import { splitIntoBoundedChunks } from '#shared/engine/chunks.ts';
import { type Correlation, pickCorrelation } from '#shared/engine/correlation.ts';
import { computeDigest } from '#shared/engine/table/keys.ts';
import { type Put, put } from '#shared/engine/table/writes.ts';
import type { DomainEvent } from '#shared/model/events/domain-event.ts';
import { makeOutboxRow, outbox } from '#shared/model/events/outbox.ts';
import { EVENT_LIMITS } from './limits.ts';

const ID_CHARACTERS = 16;

/** The order of a run's events if they happen in the same millisecond. */
const RANKS: Readonly<Record<DomainEvent['type'], number>> = { RunStarted: 0, RunEnded: 1, RunDeleted: 2 };

/** A later end of a run sorts after its earlier ends, whose ids continue with hexadecimal digits. */
const formatEndRank = (end: number): string => `z${String(end).padStart(END_DIGITS, '0')}`;
const END_DIGITS = 6;

/** Packs many groups into few rows: the transaction that ends a run and all its groups has at most 100 items. */
export function buildOutboxPuts(cause: Correlation, events: readonly DomainEvent[]): Put[] {
  return splitIntoBoundedChunks(events, OUTBOX_ROW, measureEventBytes).map(([first, ...more]) => {
    const { organizationId, runId, runCreatedAt, occurredAt: at, type } = first;
    const about = `${organizationId} ${runId}`;
    const group = type === 'RunDeleted' ? '' : first.groupId;
    const eventDigest = computeDigest(ID_CHARACTERS, about, String(runCreatedAt), type, group);
    const end = type === 'RunEnded' && first.end !== undefined ? formatEndRank(first.end) : '';
    const outboxId = `${RANKS[type]}${end}${eventDigest}`;
    const correlatedEvents = [first, ...more].map((event) => ({ ...event, ...pickCorrelation(cause) }));
    const content = { kind: 'events', events: correlatedEvents } as const;
    return put(outbox, makeOutboxRow(about, { at, outboxId, content }));
  });
}

const OUTBOX_ROW = { most: EVENT_LIMITS.eventsPerOutboxRow, bytes: EVENT_LIMITS.outboxRowBytes };

/** Only the group id and the tags: a row stores the commit, the longest part, once for all its events. */
const measureEventBytes = (event: DomainEvent): number =>
  Buffer.byteLength(JSON.stringify(event.type === 'RunDeleted' ? [] : [event.groupId, event.tags]));
