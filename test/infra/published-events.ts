/** Publishes events with the EventBridge client of the service, and returns what the rules of the local bus receive. */
import { expect } from 'vitest';
import { startEventBus } from '#infra/local/events/event-bus.ts';
import type { BusEvent } from '#infra/local/events/event-rules.ts';
import { EventBus } from '#shared/engine/outbox/event-bus.ts';
import { EVENT_SOURCE } from '#shared/platform/environment.ts';
import { runEvent } from '#test/events/rows.ts';
import { ownTable } from '#test/harness/own-table.ts';

export async function publishedEvents(types: readonly string[]): Promise<BusEvent[]> {
  await ownTable();
  const events: BusEvent[] = [];
  const matches = (event: BusEvent) => events.push(event) < 0;
  const rules = [{ busName: 'runs', matches, queueArns: [] }];
  const bus = await startEventBus({ buses: new Set(['runs']), rules, sqsEndpoint: '' });
  process.env['AWS_ENDPOINT_URL_EVENTBRIDGE'] = bus.endpoint;
  const entries = types.map((event) => ({ event, detail: runEvent('run-1'), at: Date.now() }));
  expect(await new EventBus('runs', EVENT_SOURCE).publish(entries)).toEqual([]);
  await bus.close();
  return events;
}
