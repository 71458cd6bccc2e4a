/** §6 Events on their way out, as rows of the transaction that they tell of. */
import { LIMITS } from '../limits.ts';
import { outbox, outboxRow } from '../resources/outbox.ts';
import type { RunEvent } from '../resources/run-event.ts';
import { digest } from '../table/keys.ts';
import { type Put, put } from '../table/writes.ts';

const ID_CHARACTERS = 16;

/** One row for many groups: a transaction takes a hundred rows, and all groups of a run end at once. */
export function outboxPuts(events: readonly RunEvent[]): Put[] {
  const rows: Put[] = [];
  for (let start = 0; start < events.length; start += LIMITS.eventsPerOutboxRow) {
    const some = events.slice(start, start + LIMITS.eventsPerOutboxRow);
    const [first] = some;
    if (!first) break;
    const { organizationId, runId, runCreatedAt, occurredAt: at, group, payload } = first;
    const about = `${organizationId} ${runId}`;
    // What happened at the same moment stays in order, too: a run starts before it ends.
    const rank = payload.event === 'RUN_START' ? 0 : 1;
    const outboxId = `${rank}${digest(ID_CHARACTERS, about, String(runCreatedAt), payload.event, group)}`;
    rows.push(put(outbox, outboxRow(about, { at, outboxId, content: { kind: 'events', events: some } })));
  }
  return rows;
}
