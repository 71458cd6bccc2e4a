/** §6 Writes domain events to the outbox, in the same transaction that changes the state of the run. */

import { digest } from '#shared/engine/table/keys.ts';
import { type Put, put } from '#shared/engine/table/writes.ts';
import type { DomainEvent } from '#shared/model/events/domain-event.ts';
import { outbox, outboxRow } from '#shared/model/events/outbox.ts';
import { EVENT_LIMITS } from './limits.ts';

const ID_CHARACTERS = 16;

/** The order of a run's events if they happen in the same millisecond. */
const RANKS: Readonly<Record<DomainEvent['type'], number>> = { RunStarted: 0, RunEnded: 1, RunDeleted: 2 };

/**
 * Packs the events of many groups into few rows, because the transaction that ends a run ends all its groups and can
 * contain at most 100 items.
 */
export function outboxPuts(events: readonly DomainEvent[]): Put[] {
  return piecesOf(events).map(([first, ...more]) => {
    const { organizationId, runId, runCreatedAt, occurredAt: at, type } = first;
    const about = `${organizationId} ${runId}`;
    const group = type === 'RunDeleted' ? '' : first.groupId;
    const outboxId = `${RANKS[type]}${digest(ID_CHARACTERS, about, String(runCreatedAt), type, group)}`;
    const content = { kind: 'events', events: [first, ...more] } as const;
    return put(outbox, outboxRow(about, { at, outboxId, content }));
  });
}

type Piece = [DomainEvent, ...DomainEvent[]];

/**
 * Splits events into pieces that each fit into one row. Only the group id and the tags are measured: a row stores the
 * commit, the longest part, only once for all its events.
 */
function piecesOf(events: readonly DomainEvent[]): Piece[] {
  const pieces: Piece[] = [];
  let last: Piece | undefined;
  let bytes = 0;
  for (const event of events) {
    const size = ownBytes(event);
    bytes += size;
    if (last && last.length < EVENT_LIMITS.eventsPerOutboxRow && bytes <= EVENT_LIMITS.outboxRowBytes) last.push(event);
    else {
      [last, bytes] = [[event], size];
      pieces.push(last);
    }
  }
  return pieces;
}

const ownBytes = (event: DomainEvent): number =>
  Buffer.byteLength(JSON.stringify(event.type === 'RunDeleted' ? [] : [event.groupId, event.tags]));
