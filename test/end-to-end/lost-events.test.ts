/**
 * §6 Tests that no event is lost and no unexpected event is sent when the service is killed. `npm run test:deep` kills
 * it many times.
 */
import { describe, expect, test } from 'vitest';
import { DUE_SHARDS, dueDeliveries, dueRuns } from '#shared/model/due.ts';
import { deliveries, getDeliveriesSpan } from '#shared/model/events/delivery.ts';
import { rowsLeft } from '#test/events/rows.ts';
import { cases, sampled } from '#test/harness/cases.ts';
import { queueOf } from '#test/harness/queues.ts';
import { recordRun } from '#test/harness/recording.ts';
import { failed, passed } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { type Inbox, inboxOf } from './inbox.ts';
import { type MortalService, mortalService } from './mortal-service.ts';
import type { Point } from './way-of-an-event.ts';

/** How many times the service is killed at each point in the processing of events. */
const KILLS = cases(2, 1);

const GROUPS = {
  retail: { tests: { 'cart.spec.ts > sums': passed(), 'cart.spec.ts > ships': failed() } },
  wholesale: { tests: { 'cart.spec.ts > sums': passed() } },
};
const eventsOf = (build: string): string[] =>
  ['RUN_START', 'RUN_FINISH'].flatMap((event) => Object.keys(GROUPS).map((group) => `${build} ${event} ${group}`));

const record = async (service: MortalService, ciBuildId: string): Promise<string> =>
  (await recordRun(service, GROUPS, { ciBuildId })).runId;

/**
 * Counts what the service still has to process: rows in the outbox, due work, pending deliveries and messages in
 * queues.
 */
async function underWay(service: MortalService, inbox: Inbox): Promise<number> {
  const table = service.table();
  const environment = service.environment();
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
  table().queryAll(deliveries, getDeliveriesSpan({ organizationId, hookId }), { consistent: true });

const pendingDeliveries = async (service: MortalService, inbox: Inbox) =>
  (await allDeliveries(service, inbox)).filter(({ status }) => status === 'pending');

async function expectExactly(service: MortalService, inbox: Inbox, runs: ReadonlyMap<string, string>) {
  const expected = [...runs.keys()].flatMap(eventsOf).sort();
  const variants = inbox.variants();
  expect([...variants.keys()].sort()).toEqual(expected);
  // All duplicates of a message have the same id and the same body.
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
  /**
   * How many times the events of one run pass this point: first RUN_START of both groups, then RUN_FINISH of both
   * groups.
   */
  readonly times: number;
  /** The minimum number of duplicate webhook requests that each kill causes. */
  readonly again: number;
}

const MOMENTS: readonly Moment[] = [
  { when: 'before the transaction of the event commits', point: 'beforeCommit', times: 2, again: 0 },
  { when: 'after the commit and before the response', point: 'afterCommit', times: 2, again: 0 },
  { when: 'before the bus accepts the event', point: 'beforeBus', times: 8, again: 0 },
  {
    when: 'after the bus accepted the event and before the outbox row is removed',
    point: 'beforeRemoval',
    times: 2,
    again: 0,
  },
  { when: 'after the delivery is written and before its job is queued', point: 'afterFanOut', times: 4, again: 0 },
  {
    when: 'after the receiver responded and before the response is recorded',
    point: 'beforeRecord',
    times: 4,
    again: 1,
  },
];

/**
 * Points at which the service is killed during an outage of the bus. `npm test` tries only the last point, at which the
 * event reaches the bus.
 */
const DEATHS_IN_OUTAGE: readonly (readonly [string, Point])[] = [
  ['during', 'afterCommit'],
  ['at the door', 'beforeBus'],
];

/**
 * Returns the number of the event at which the service is killed: the first event in the first round, the last event in
 * the second round, and then the events between them.
 */
const timeOf = (round: number, times: number): number => 1 + (((times - 1) * round) % times);

describe('kill -9 during the processing of an event', () => {
  test.for(MOMENTS.map((moment) => [moment.when, moment] as const))(
    'No event is lost and no unexpected event is sent if the service is killed %s, and duplicates have the same id and body',
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
        await expect.poll(() => underWay(service, inbox)).toBe(0);
        recoveries.push(performance.now() - before);
      }
      await expectExactly(service, inbox, runs);
      expect(inbox.names().length).toBeGreaterThanOrEqual(KILLS * (eventsOf('').length + again));
      const longest = Math.round(Math.max(...recoveries));
      const requests = inbox.names().length;
      const events = KILLS * eventsOf('').length;
      await annotate(`${KILLS} deaths, ${events} events, ${requests} requests, recovered within ${longest} ms`);
    },
  );

  test('No event is lost during an outage of the event bus, even if the service is killed', async () => {
    const service = await mortalService();
    const inbox = await inboxOf(service);
    const runs = new Map<string, string>();
    await service.bus('down');
    runs.set('before', await record(service, 'before'));
    for (const [build, point] of sampled(DEATHS_IN_OUTAGE, 2, 1)) {
      await service.dieAt(point, 2);
      runs.set(build, await record(service, build));
      await service.revived();
    }
    runs.set('after', await record(service, 'after'));
    expect(await rowsLeft(service.table())).toHaveLength(runs.size * 2);
    expect(inbox.names()).toEqual([]);
    await service.bus('up');
    await inbox.arrived([...runs.keys()].flatMap(eventsOf));
    await expect.poll(() => underWay(service, inbox)).toBe(0);
    await expectExactly(service, inbox, runs);
  });
});
