/** What a run has to tell and what becomes of it, step by step: by the rules of the service on its own table, counted. */

import type { QueuedMessage } from '#shared/engine/outbox/message-queue.ts';
import { put } from '#shared/engine/table/writes.ts';
import { relay } from '#shared/events/relay.ts';
import type { GroupEvent } from '#shared/model/domain-event.ts';
import { OUTBOX_SHARDS, type OutboxRow, outbox, outboxSpan } from '#shared/model/outbox.ts';
import type { DeliveryJob } from '#shared/model/outbox-content.ts';
import { connectDeliveryQueue, connectEventBus } from '#shared/platform/connect.ts';
import type { Services } from '#shared/services.ts';
import { CallSlots } from '#shared/webhooks/call-slots.ts';
import { Connections } from '#shared/webhooks/connections.ts';
import { deliverWithSlot } from '#shared/webhooks/deliver-with-slot.ts';
import { fanOut } from '#shared/webhooks/fan-out.ts';
import type { Measurement } from './budgets.ts';
import { addWebhook, receiveHere } from './receive.ts';
import { beginTest, claim, startRun } from './recording.ts';
import type { Ground, Stand, Units } from './stand.ts';
import { withStand } from './stand.ts';
import { suiteOf } from './suite.ts';
import { IDLE_MINUTE, sweepCosts } from './sweeps.ts';

/** For a run of one group, and one webhook. */
export interface ToldCosts {
  /** Of the request that begins the run, and what the end adds to the last result: with their events. */
  readonly startUnits: number;
  readonly endUnits: number;
  /** Of one event: in the transaction that it tells of, on its way to the bus, and to the deliveries that it makes. */
  readonly written: Units;
  readonly relayed: Units;
  readonly fannedOut: Units;
  readonly delivered: Units;
}

/** Of a stand that nothing leaves by itself. */
export async function toldCosts(stand: Stand): Promise<ToldCosts> {
  const receiver = await receiveHere(() => {});
  try {
    await addWebhook(stand, receiver);
    const { startUnits, endUnits } = await recordedRun(stand);
    const row = await lastRow(stand);
    if (row.content.kind !== 'events') throw new Error('A run that ended left no event');
    const [event] = row.content.events;
    if (!event || event.type === 'RunDeleted') throw new Error('Expected an event of a group');
    const written = await metered(stand, async ({ table }) => void (await table.transact([put(outbox, row)])));
    const { fannedOut, delivered } = await toldTo(stand, event);
    const bus = connectEventBus(stand.environment)();
    const queue = connectDeliveryQueue(stand.environment)();
    const relayed = await metered(stand, async (services) => void (await relay({ ...services, bus, queue }, row)));
    return { startUnits, endUnits, written, relayed, fannedOut, delivered };
  } finally {
    receiver.close();
  }
}

/** Two spec files of one test each: the last result of the second one ends the run, that of the first does not. */
async function recordedRun(stand: Stand): Promise<Pick<ToldCosts, 'startUnits' | 'endUnits'>> {
  const suite = suiteOf({ specs: 2, testsPerSpec: 1 });
  const { result: runId, cost: start } = await stand.counted(() => startRun(stand, 'told', suite));
  const ends: number[] = [];
  for (const { spec, tests } of suite) {
    const instanceId = await claim(stand, runId, { spec, tests });
    for (const test of tests) {
      const { end } = await beginTest(stand, { runId, instanceId, spec }, test);
      ends.push((await stand.counted(end)).cost.writeUnits);
    }
  }
  const [without = 0, withEnd = 0] = ends;
  return { startUnits: start.writeUnits, endUnits: withEnd - without };
}

async function lastRow({ services }: Stand): Promise<OutboxRow> {
  const shards = Array.from({ length: OUTBOX_SHARDS }, (_, shard) => outboxSpan(shard, services.now() + 1));
  const rows = await Promise.all(shards.map((span) => services.table.queryAll(outbox, span)));
  const last = rows
    .flat()
    .toSorted((one, other) => one.at - other.at)
    .at(-1);
  if (!last) throw new Error('A run left nothing in the outbox');
  return last;
}

async function toldTo(stand: Stand, event: GroupEvent): Promise<Pick<ToldCosts, 'fannedOut' | 'delivered'>> {
  const jobs: QueuedMessage<DeliveryJob>[] = [];
  const queue = { send: async (more: readonly QueuedMessage<DeliveryJob>[]) => void jobs.push(...more) };
  const fannedOut = await metered(stand, async (services) => void (await fanOut(event, { ...services, queue })));
  const [first] = jobs;
  if (!first) throw new Error('No webhook was told');
  const connections = new Connections();
  const delivered = await metered(stand, async (services) => {
    const sender = { ...services, queue, connections, slots: new CallSlots() };
    const [note] = await deliverWithSlot({ ...first.message, rounds: 0 }, sender);
    if (!note || !('delivered' in note)) throw new Error(`Not delivered: ${JSON.stringify(note)}`);
  });
  return { fannedOut, delivered };
}

async function metered({ services }: Stand, act: (services: Services) => Promise<void>): Promise<Units> {
  const table = services.table.metered();
  await act({ ...services, table });
  return table.meter;
}

export async function measureTold(ground: Ground): Promise<Measurement[]> {
  const told = await withStand(ground, toldCosts, { streams: false });
  const { startUnits, endUnits, written, relayed, fannedOut, delivered } = told;
  const events = 2 * (written.writeUnits + relayed.writeUnits);
  const reads = fannedOut.readUnits + delivered.readUnits;
  const sweeps = (await withStand(ground, sweepCosts)).filter(({ runsAMonth }) => runsAMonth === IDLE_MINUTE);
  return [
    {
      name: 'runUnits',
      measured: startUnits + endUnits + 2 * relayed.writeUnits,
      note: `start ${startUnits}, end ${endUnits}; of both, the events are ${events}`,
    },
    {
      name: 'deliveryUnits',
      measured: fannedOut.writeUnits + delivered.writeUnits,
      note: `${reads} RRU in ${fannedOut.trips + delivered.trips} round trips`,
    },
    {
      name: 'idleMinuteUnits',
      measured: sweeps.reduce((sum, { units }) => sum + units.readUnits, 0),
      note: `${sweeps.length} sweeps, ${sweeps.reduce((sum, { units }) => sum + units.trips, 0)} round trips`,
    },
  ];
}
