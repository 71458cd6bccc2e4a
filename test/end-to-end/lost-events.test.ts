/** §6 No event is lost and none is invented, whenever the service dies. By hand many times: `npm run test:kills`. */
import { describe, expect, test } from 'vitest';
import { deliveries, deliveriesSpan } from '#shared/resources/delivery.ts';
import { DUE_SHARDS, dueDeliveries, dueRuns } from '#shared/resources/due.ts';
import { rowsLeft } from '#test/events/rows.ts';
import { queueOf } from '#test/harness/queues.ts';
import { recordRun } from '#test/harness/recording.ts';
import { failed, passed } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { type Inbox, inboxOf } from './inbox.ts';
import { type MortalService, mortalService } from './mortal-service.ts';
import type { Point } from './way-of-an-event.ts';

/** Of each point; by hand there are many more. */
const KILLS = Number(process.env['EVENT_KILLS'] ?? 2);
const TIMEOUT_MILLISECONDS = 60_000 + KILLS * 30_000;
const WITHIN = { timeout: 20_000, interval: 50 };

const GROUPS = {
  retail: { tests: { 'cart.spec.ts > sums': passed(), 'cart.spec.ts > ships': failed() } },
  wholesale: { tests: { 'cart.spec.ts > sums': passed() } },
};
const eventsOf = (build: string): string[] =>
  ['RUN_START', 'RUN_FINISH'].flatMap((event) => Object.keys(GROUPS).map((group) => `${build} ${event} ${group}`));

const record = async (service: MortalService, ciBuildId: string): Promise<string> =>
  (await recordRun(service, GROUPS, { ciBuildId })).runId;

/** Events of a run that are still on their way, duplicates too, and what would be done about a run that has ended. */
async function underWay(service: MortalService, inbox: Inbox): Promise<number> {
  const [table, environment] = [service.table(), service.environment()];
  const due = Array.from({ length: DUE_SHARDS }, (_, shard) => [
    table.queryAll(dueRuns, dueRuns.span(shard, FOR_EVER), { consistent: true }),
    table.queryAll(dueDeliveries, dueDeliveries.span(shard, FOR_EVER), { consistent: true }),
  ]);
  const queues = ['fanOutRunEvent', 'deliverWebhook'].map((consumer) => queueOf(environment, consumer));
  const rows = await Promise.all([rowsLeft(table), pendingDeliveries(service, inbox), ...due.flat()]);
  const messages = await Promise.all(queues.flatMap((queue) => [queue.count(), queue.deadLetters()]));
  return [...rows.map(({ length }) => length), ...messages].reduce((sum, count) => sum + count, 0);
}

const FOR_EVER = 32 ** 9 - 1;

const allDeliveries = ({ table, organizationId }: MortalService, { hookId }: Inbox) =>
  table().queryAll(deliveries, deliveriesSpan({ organizationId, hookId }), { consistent: true });

const pendingDeliveries = async (service: MortalService, inbox: Inbox) =>
  (await allDeliveries(service, inbox)).filter(({ status }) => status === 'pending');

async function expectExactly(service: MortalService, inbox: Inbox, runs: ReadonlyMap<string, string>) {
  const expected = [...runs.keys()].flatMap(eventsOf).sort();
  const variants = inbox.variants();
  expect([...variants.keys()].sort()).toEqual(expected);
  // Each body under one id, and each id with one body.
  expect([...variants].filter(([, different]) => different.size !== 1)).toEqual([]);
  const all = await allDeliveries(service, inbox);
  expect(all.map(({ deliveryId, body }) => `${deliveryId} ${body}`).sort()).toEqual(
    [...variants.values()].flatMap((different) => [...different]).sort(),
  );
  expect(all.filter(({ status, attemptsMade }) => status !== 'delivered' || attemptsMade !== 1)).toEqual([]);
  for (const [build, runId] of runs) {
    expect(await read(service.api, `/runs/${runId}`)).toMatchObject({
      completionState: 'COMPLETE',
      meta: { ciBuildId: build },
    });
  }
}

interface Moment {
  readonly when: string;
  readonly point: Point;
  /** How often events of one run come there: RUN_START of both groups first, RUN_FINISH of both then. */
  readonly times: number;
  /** Requests that the receiver gets twice, at least, for each death. */
  readonly again: number;
}

const MOMENTS: readonly Moment[] = [
  { when: 'before the change that it tells of is committed', point: 'beforeCommit', times: 2, again: 0 },
  { when: 'when that is committed, and nobody was answered', point: 'afterCommit', times: 2, again: 0 },
  { when: 'before the bus takes it', point: 'beforeBus', times: 8, again: 0 },
  { when: 'when the bus took it, and the outbox still has it', point: 'beforeRemoval', times: 2, again: 0 },
  { when: 'when its delivery is written, and not ordered', point: 'afterFanOut', times: 4, again: 0 },
  { when: 'when its receiver has answered, and that is not recorded', point: 'beforeRecord', times: 4, again: 1 },
];

/** The first, the last, and then the others. */
const timeOf = (round: number, times: number): number => 1 + (((times - 1) * round) % times);

describe('kill -9 on the way of an event', () => {
  test.for(MOMENTS.map((moment) => [moment.when, moment] as const))(
    '%s, loses and invents none, and duplicates have one id and body',
    { timeout: TIMEOUT_MILLISECONDS },
    async ([, { point, times, again }], { annotate }) => {
      const service = await mortalService();
      const inbox = await inboxOf(service);
      const runs = new Map<string, string>();
      const recoveries: number[] = [];
      for (let round = 0; round < KILLS; round += 1) {
        const build = `build-${round}`;
        await service.dieAt(point, timeOf(round, times));
        runs.set(build, await record(service, build));
        expect(await service.revived()).toBe(round + 1);
        const before = performance.now();
        await inbox.arrived(eventsOf(build));
        await expect.poll(() => underWay(service, inbox), WITHIN).toBe(0);
        recoveries.push(performance.now() - before);
      }
      await expectExactly(service, inbox, runs);
      expect(inbox.names().length).toBeGreaterThanOrEqual(KILLS * (eventsOf('').length + again));
      const longest = Math.round(Math.max(...recoveries));
      const [requests, events] = [inbox.names().length, KILLS * eventsOf('').length];
      await annotate(`${KILLS} deaths, ${events} events, ${requests} requests, recovered in ${longest} ms at most`);
    },
  );

  test('that waits for a bus which takes nothing loses none: all arrive when the bus is back', async () => {
    const service = await mortalService();
    const inbox = await inboxOf(service);
    const runs = new Map<string, string>();
    await service.bus('down');
    runs.set('before', await record(service, 'before'));
    for (const [build, point] of [
      ['during', 'afterCommit'],
      ['at the door', 'beforeBus'],
    ] as const) {
      await service.dieAt(point, 2);
      runs.set(build, await record(service, build));
      await service.revived();
    }
    runs.set('after', await record(service, 'after'));
    expect(await rowsLeft(service.table())).toHaveLength(runs.size * 2);
    expect(inbox.names()).toEqual([]);
    await service.bus('up');
    await inbox.arrived([...runs.keys()].flatMap(eventsOf));
    await expect.poll(() => underWay(service, inbox), WITHIN).toBe(0);
    await expectExactly(service, inbox, runs);
  });
});
