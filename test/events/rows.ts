/** Hand-made outbox rows. */

import type { Table } from '#shared/engine/table/table.ts';
import type { DomainEvent, GroupEvent } from '#shared/model/events/domain-event.ts';
import { getOutboxSpan, makeOutboxRow, OUTBOX_SHARDS, type OutboxRow, outbox } from '#shared/model/events/outbox.ts';

export function runEvent(runId: string, type: GroupEvent['type'] = 'RunStarted', groupId = 'chromium'): GroupEvent {
  const facts = {
    version: 1 as const,
    organizationId: 'org-1',
    projectId: 'project-1',
    runId,
    runCreatedAt: Date.now(),
    occurredAt: Date.now(),
    groupId,
    hasSeveralGroups: false,
    ciBuildId: runId,
    tags: [],
    commit: {
      sha: null,
      branch: 'main',
      authorName: null,
      authorEmail: null,
      message: null,
      remoteOrigin: null,
      defaultBranch: null,
    },
    counters: { overall: 0, passes: 0, failures: 0, pending: 0, skipped: 0, retries: 0, flaky: 0 },
  };
  return type === 'RunStarted' ? { type, ...facts } : { type, ending: 'finish', ...facts };
}

let made = 0;

export function eventsRow(...events: readonly DomainEvent[]): OutboxRow {
  made += 1;
  const content = { kind: 'events', events } as const;
  return makeOutboxRow(events[0]?.runId ?? '', { at: Date.now(), outboxId: `row-${made}`, content });
}

export function deliveryRow(deliveryId: string): OutboxRow {
  made += 1;
  const job = { organizationId: 'org-1', hookId: 'hook-1', deliveryId, attempt: 0 };
  return makeOutboxRow(deliveryId, { at: Date.now(), outboxId: `row-${made}`, content: { kind: 'delivery', job } });
}

export async function rowsLeft(table: Table): Promise<OutboxRow[]> {
  const shards = Array.from({ length: OUTBOX_SHARDS }, (_, shard) => shard);
  const pages = shards.map((shard) =>
    table.queryAll(outbox, getOutboxSpan(shard, Date.now() + 1), { consistent: true }),
  );
  return (await Promise.all(pages)).flat();
}
