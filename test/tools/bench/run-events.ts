/** Counts the cost of run events at each step from the outbox to the delivery. */

import type { QueuedMessage } from '#shared/engine/outbox/message-queue.ts';
import { put } from '#shared/engine/table/writes.ts';
import { relay } from '#shared/events/relay.ts';
import { CallSlots } from '#shared/fair-shares/call-slots.ts';
import type { GroupEvent } from '#shared/model/events/domain-event.ts';
import { getOutboxSpan, OUTBOX_SHARDS, type OutboxRow, outbox } from '#shared/model/events/outbox.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import { connectDeliveryQueue, connectEventBus, connectNotificationQueue } from '#shared/platform/connect.ts';
import { Connections } from '#shared/sending/connections.ts';
import type { Services } from '#shared/services.ts';
import { deliverWithSlot, WEBHOOK_CAPS } from '#shared/webhooks/deliver-with-slot.ts';
import { fanOutWebhooks } from '#shared/webhooks/fan-out.ts';
import type { BenchService, BenchSetup, Units } from './bench-service.ts';
import { withService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import type { SweepCost } from './counted-costs.ts';
import { addWebhook, startLocalReceiver } from './receivers.ts';
import { beginTest, claim, startRun } from './recording.ts';
import { suiteOf } from './suite.ts';
import { IDLE_MINUTE, sweepCosts } from './sweeps.ts';

/** The costs of a run with one group and one webhook. */
export interface RunEventCosts {
  /**
   * Write units of the request that starts the run, and write units that the end of the run adds to the last result.
   * Both include writing the events.
   */
  readonly startUnits: number;
  readonly endUnits: number;
  /** The costs of one event in the transaction that writes it, in the relay, in the fan-out and in the delivery. */
  readonly written: Units;
  readonly relayed: Units;
  readonly fannedOut: Units;
  readonly delivered: Units;
}

/** Measures each step from the outbox to the delivery. Needs a service whose relay does not run in the background. */
export async function runEventCosts(service: BenchService): Promise<RunEventCosts> {
  const receiver = await startLocalReceiver(() => {});
  try {
    await addWebhook(service, receiver);
    const { startUnits, endUnits } = await recordedRun(service);
    const row = await lastRow(service);
    if (row.content.kind !== 'events') throw new Error('The ended run has no event');
    const [event] = row.content.events;
    if (!event || event.type === 'RunDeleted') throw new Error('Expected an event of a group');
    const written = await metered(service, async ({ table }) => void (await table.transact([put(outbox, row)])));
    const { fannedOut, delivered } = await deliveredTo(service, event);
    const bus = connectEventBus(service.environment)();
    const queue = connectDeliveryQueue(service.environment)();
    const notifications = connectNotificationQueue(service.environment)();
    const relayed = await metered(
      service,
      async (services) => void (await relay({ ...services, bus, queue, notifications }, row)),
    );
    return { startUnits, endUnits, written, relayed, fannedOut, delivered };
  } finally {
    receiver.close();
  }
}

/** Records a run of two spec files with one test each, so that the second result ends the run. */
async function recordedRun(service: BenchService): Promise<Pick<RunEventCosts, 'startUnits' | 'endUnits'>> {
  const suite = suiteOf({ specs: 2, testsPerSpec: 1 });
  const { result: runId, cost: start } = await service.counted(() => startRun(service, 'run events', suite));
  const ends: number[] = [];
  for (const { spec, tests } of suite) {
    const instanceId = await claim(service, runId, { spec, tests });
    for (const test of tests) {
      const { end } = await beginTest(service, { runId, instanceId, spec }, test);
      ends.push((await service.counted(end)).cost.writeUnits);
    }
  }
  const [without = 0, withEnd = 0] = ends;
  return { startUnits: start.writeUnits, endUnits: withEnd - without };
}

async function lastRow({ services }: BenchService): Promise<OutboxRow> {
  const shards = Array.from({ length: OUTBOX_SHARDS }, (_, shard) => getOutboxSpan(shard, services.now() + 1));
  const rows = await Promise.all(shards.map((span) => services.table.queryAll(outbox, span)));
  const last = rows
    .flat()
    .toSorted((one, other) => one.at - other.at)
    .at(-1);
  if (!last) throw new Error('The outbox is empty');
  return last;
}

async function deliveredTo(
  service: BenchService,
  event: GroupEvent,
): Promise<Pick<RunEventCosts, 'fannedOut' | 'delivered'>> {
  const jobs: QueuedMessage<DeliveryJob>[] = [];
  const queue = { send: async (more: readonly QueuedMessage<DeliveryJob>[]) => void jobs.push(...more) };
  const fannedOut = await metered(
    service,
    async (services) => void (await fanOutWebhooks(event, { ...services, queue })),
  );
  const [first] = jobs;
  if (!first) throw new Error('The event has no delivery job');
  const connections = new Connections();
  const delivered = await metered(service, async (services) => {
    const sender = { ...services, queue, connections, slots: new CallSlots(WEBHOOK_CAPS) };
    const [note] = await deliverWithSlot({ ...first.message, rounds: 0 }, sender);
    if (!note || !('delivered' in note)) throw new Error(`The webhook was not delivered: ${JSON.stringify(note)}`);
  });
  return { fannedOut, delivered };
}

async function metered({ services }: BenchService, act: (services: Services) => Promise<void>): Promise<Units> {
  const table = services.table.metered();
  await act({ ...services, table });
  return table.meter;
}

function readUnitsOf(sweeps: readonly SweepCost[]): number {
  if (sweeps.length === 0) throw new Error('No schedule of this name runs every minute');
  return sweeps.reduce((sum, { units }) => sum + units.readUnits, 0);
}

export async function measureRunEvents(setup: BenchSetup): Promise<Measurement[]> {
  const costs = await withService(setup, runEventCosts, { streams: false });
  const { startUnits, endUnits, written, relayed, fannedOut, delivered } = costs;
  const events = 2 * (written.writeUnits + relayed.writeUnits);
  const reads = fannedOut.readUnits + delivered.readUnits;
  const sweeps = (await withService(setup, sweepCosts)).filter(({ runsAMonth }) => runsAMonth === IDLE_MINUTE);
  return [
    {
      name: 'runUnits',
      measured: startUnits + endUnits + 2 * relayed.writeUnits,
      note: `start ${startUnits}, end ${endUnits}; ${events} of them for events`,
    },
    {
      name: 'deliveryUnits',
      measured: fannedOut.writeUnits + delivered.writeUnits,
      note: `${reads} RRU in ${fannedOut.trips + delivered.trips} round trips`,
    },
    {
      name: 'analyticsIdleUnits',
      measured: readUnitsOf(sweeps.filter(({ name }) => name.includes('mergeAnalytics'))),
    },
    {
      name: 'idleMinuteUnits',
      measured: readUnitsOf(sweeps),
      note: `${sweeps.length} sweeps, ${sweeps.reduce((sum, { units }) => sum + units.trips, 0)} round trips`,
    },
  ];
}
