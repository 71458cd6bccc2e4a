/** What stands in an outbox, made up. */
import { OUTBOX_SHARDS, type OutboxRow, outbox, outboxRow, outboxSpan } from '#shared/resources/outbox.ts';
import type { RunEvent, RunEventName } from '#shared/resources/run-event.ts';
import type { Table } from '#shared/table/table.ts';

export const runEvent = (runId: string, event: RunEventName = 'RUN_START', group = 'chromium'): RunEvent => ({
  organizationId: 'org-1',
  projectId: 'project-1',
  runId,
  runCreatedAt: Date.now(),
  group,
  occurredAt: Date.now(),
  payload: {
    event,
    runUrl: `https://rundown.example.com/runs/${runId}`,
    buildId: runId,
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
    ...{ overall: 0, passes: 0, failures: 0, pending: 0, skipped: 0, retries: 0, flaky: 0 },
  },
});

let made = 0;

export function eventsRow(...events: readonly RunEvent[]): OutboxRow {
  made += 1;
  const content = { kind: 'events', events } as const;
  return outboxRow(events[0]?.runId ?? '', { at: Date.now(), outboxId: `row-${made}`, content });
}

export function deliveryRow(deliveryId: string): OutboxRow {
  made += 1;
  const order = { organizationId: 'org-1', hookId: 'hook-1', deliveryId, attempt: 0 };
  return outboxRow(deliveryId, { at: Date.now(), outboxId: `row-${made}`, content: { kind: 'delivery', order } });
}

/** All that is there, written until now. */
export async function rowsLeft(table: Table): Promise<OutboxRow[]> {
  const shards = Array.from({ length: OUTBOX_SHARDS }, (_, shard) => shard);
  const pages = shards.map((shard) => table.queryAll(outbox, outboxSpan(shard, Date.now() + 1), { consistent: true }));
  return (await Promise.all(pages)).flat();
}
