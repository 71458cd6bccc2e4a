/** §6 Tests that an outbox row that always fails does not block the other rows of its shard. */
import { describe, expect, test } from 'vitest';
import { EVENT_LIMITS } from '#shared/events/limits.ts';
import type { OutboxRow } from '#shared/model/events/outbox.ts';
import { cases } from '#test/harness/cases.ts';
import { ownService, refusing, retryRows, rowsOf, writeRows } from './own-service.ts';
import { rowsLeft } from './rows.ts';

const unreadable = (row: OutboxRow): OutboxRow => ({
  ...row,
  content: { kind: 'unreadable', packed: Uint8Array.of(1, 2, 3) },
});

const same = (row: OutboxRow): OutboxRow => row;
/** The number of other rows: more than the ten events that fit into one call to the bus. */
const OTHERS = Math.min(cases(20, 12), 20);
const KINDS = [
  {
    kind: 'that the bus refuses',
    trouble: refusing('entryRefused'),
    change: same,
    others: Math.min(cases(200, 12), 1000),
  },
  { kind: 'that makes the whole call fail', trouble: refusing('callFails'), change: same, others: OTHERS },
  { kind: 'that cannot be read', trouble: refusing(undefined), change: unreadable, others: OTHERS },
];

/** Returns the rows of a shard. The first row always fails. */
function poisoned({ change, others }: Pick<(typeof KINDS)[number], 'change' | 'others'>, at?: number): OutboxRow[] {
  const names = Array.from({ length: others }, (_, place) => `run-${place}`);
  const [first, ...rest] = rowsOf(['poisoned', ...names], at);
  if (!first) throw new Error('Expected an outbox row');
  return [change(first), ...rest];
}

describe.each(KINDS)('a poisoned outbox row $kind', ({ trouble, change, others }) => {
  test(`An outbox row that always fails does not stop the relay from sending the ${others} other rows of its shard`, async () => {
    const { table } = await (await ownService(trouble)).start(true);
    await writeRows(table, poisoned({ change, others }));
    await expect.poll(async () => (await rowsLeft(table)).length).toBe(0);
    expect(await retryRows(table)).toMatchObject([{ retryId: 'poisoned-0', tries: 1 }]);
  });

  test(`An outbox row that always fails does not stop the sweeper from sending the ${others} other rows in the same sweep`, async () => {
    const { table, runSchedule } = await (await ownService(trouble)).start(false);
    await writeRows(table, poisoned({ change, others }, Date.now() - EVENT_LIMITS.resendAfterMilliseconds - 60_000));
    const report = await runSchedule('rundown-dev-resendOutbox');
    expect(report).toMatchObject({ resent: others, failed: 1, parked: 0, finished: true });
    expect(await rowsLeft(table)).toEqual([]);
    expect(await retryRows(table)).toHaveLength(1);
  });

  test(`An outbox row that always fails does not stop a restarted relay from sending the ${others} other rows`, async () => {
    const own = await ownService(trouble);
    const before = await own.start(false);
    await writeRows(before.table, poisoned({ change, others }));
    await before.close();
    const { table } = await own.start(true);
    await expect.poll(async () => (await rowsLeft(table)).length).toBe(0);
    expect(await retryRows(table)).toHaveLength(1);
  });
});
