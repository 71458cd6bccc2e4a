/** Limits of analytics queries and of concurrent jobs. */

import { expect, test } from 'vitest';
import { type PendingEntry, packEntries, unpackEntries } from '#shared/analytics/entry.ts';
import { Gate } from '#shared/analytics/job-gate.ts';
import { readRunGroups } from '#shared/analytics/read-run-groups.ts';
import { put } from '#shared/engine/table/writes.ts';
import { getLeaf, getPendingRunsSpan, pendingRuns } from '#shared/model/analytics/pending.ts';
import { NO_SUMMARY } from '#shared/model/analytics/root.ts';
import { compileRuns, executionsOf, seriesOf, UNFILTERED } from '#test/harness/analytics.ts';
import { recordRun } from '#test/harness/recording.ts';
import { passed } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';

const DAY = 24 * 3_600_000;

async function onePendingRun() {
  const stage = await service();
  await recordRun(stage, { retail: { tests: { 'cart.spec.ts > sums': passed() } } });
  await compileRuns(stage);
  const { services, ...scope } = stage;
  const leaf = getLeaf(Date.now());
  const [row] = await services.table.queryAll(pendingRuns, getPendingRunsSpan(scope, leaf, leaf), { consistent: true });
  const [entry] = row?.packed ? unpackEntries(row.packed) : [];
  if (!row || !entry) throw new Error('The recorded run has no pending row');
  return { stage, row, entry };
}

test('An analytics query over more than 400 days is refused with the advice to choose a shorter range, and a query over an empty period finds no tests', async () => {
  const { stage } = await onePendingRun();
  // The run is before this period.
  const to = Date.now() + 401 * DAY;
  await expect(seriesOf(stage, {}, { from: to - 401 * DAY, to })).rejects.toThrow('Choose a shorter range');
  expect(await executionsOf(stage, {}, { from: to - 400 * DAY, to })).toEqual({});
  expect(await executionsOf(stage, {}, { from: to, to })).toEqual({});
  expect(await executionsOf(stage, {}, { from: to, to: to - DAY })).toEqual({});
});

test('An analytics query that needs too many results is refused, and the error suggests a shorter range or narrower filters', async () => {
  const { stage, row, entry } = await onePendingRun();
  // The row only claims this size, because recording a run of this size would take minutes.
  const huge: PendingEntry = { ...entry, sizes: { ...entry.sizes, tests: { parts: 1, bytes: 33 * 1024 * 1024 } } };
  await stage.services.table.put(pendingRuns, { ...row, packed: packEntries([huge]) });
  await expect(seriesOf(stage)).rejects.toThrow(
    'covers more test results than can be read at once. Choose a shorter range of dates, or narrower filters',
  );
  expect(await seriesOf(stage, { branches: ['other'] })).toEqual([]);
});

test('If more than 200 runs of the same six hours have not been merged into a summary yet, an analytics query reads only the oldest 200', async () => {
  const { stage, row, entry } = await onePendingRun();
  const { services } = stage;
  // Copies one pending row, because recording this many runs would take minutes. The copies have no stored results.
  const copies = Array.from({ length: 204 }, (_, place) => {
    const runId = `copy-${place}`;
    const createdAt = entry.createdAt + place + 1;
    return {
      ...row,
      runId,
      createdAt,
      packed: packEntries([{ ...entry, runId, createdAt, sizes: { tests: NO_SUMMARY, rest: NO_SUMMARY } }]),
    };
  });
  await services.table.writeMany(copies.map((copy) => put(pendingRuns, copy)));
  const period = { from: entry.createdAt, to: entry.createdAt + DAY };
  const found = await readRunGroups(services, stage, period, UNFILTERED);
  expect(found).toHaveLength(200);
  expect(found.map(({ createdAt }) => createdAt - entry.createdAt)).toEqual([...Array(200).keys()]);
});

test('A concurrency gate limits how many jobs run at the same time, and starts the next job even after a failure', async () => {
  const gate = new Gate(2);
  let running = 0;
  let most = 0;
  const job = async (place: number) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (place % 2 === 0) throw new Error(`${place} failed`);
    return place;
  };
  const results = await Promise.allSettled(Array.from({ length: 9 }, (_, place) => gate.pass(() => job(place))));
  expect(results.map(({ status }) => status)).toEqual(
    Array.from({ length: 9 }, (_, place) => (place % 2 === 0 ? 'rejected' : 'fulfilled')),
  );
  expect(most).toBe(2);
});
