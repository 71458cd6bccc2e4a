/** Whether a page of history gets slower as the table grows: a table for each size, pages of all of them in turn. */
import { query } from '#test/harness/client.ts';
import type { Measurement } from './budgets.ts';
import { EVER, type Told, testOf, writeHistory } from './history.ts';
import { exponentOf, median } from './medians.ts';
import { note } from './progress.ts';
import { pageOf } from './reading.ts';
import { type Ground, openStand, type Stand } from './stand.ts';

/** Tests whose executions share a table. One of them is asked for. */
const TESTS = 10;
const ROUNDS = 60;
const PAGES_PER_ROUND = 4;
const WARM_UP_PAGES = 30;
/** A size that would take longer to write is left out, and the note says so. */
const LONGEST_WRITE_SECONDS = 420;

interface Size {
  readonly rows: number;
  readonly stand: Stand;
  readonly test: Told;
  readonly milliseconds: number[];
}

/** `sizes`: history rows of each table, ascending. */
export async function measureGrowth(ground: Ground, sizes: readonly number[]): Promise<Measurement[]> {
  const filled: Size[] = [];
  let rowsPerSecond = Number.POSITIVE_INFINITY;
  for (const rows of sizes) {
    if (rows / rowsPerSecond > LONGEST_WRITE_SECONDS) {
      note(`${rows.toLocaleString('en')} rows would take ${Math.round(rows / rowsPerSecond)} s to write: left out`);
      break;
    }
    const started = performance.now();
    filled.push(await fill(ground, rows));
    rowsPerSecond = (rows * 1000) / (performance.now() - started);
  }
  const measured = await timePages(filled);
  await Promise.all(filled.map(({ stand }) => stand.close()));
  return measured;
}

async function fill(ground: Ground, rows: number): Promise<Size> {
  const stand = await openStand(ground);
  const tests = Array.from({ length: TESTS }, (_, index) => testOf(stand, `test ${index}`));
  const [test] = tests;
  if (!test) throw new Error('There is no test to ask for');
  let written = 0;
  const onRows = (more: number) => {
    written += more;
    note(`    ${written.toLocaleString('en')} of ${rows.toLocaleString('en')} history rows written`, 'passing');
  };
  await writeHistory(stand, tests, rows / TESTS, { outcomes: 'passed', onRows });
  return { rows, stand, test, milliseconds: [] };
}

async function timePages(sizes: readonly Size[]): Promise<Measurement[]> {
  for (const size of sizes) for (let page = 0; page < WARM_UP_PAGES; page += 1) await readPage(size);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const size of sizes) {
      for (let page = 0; page < PAGES_PER_ROUND; page += 1) size.milliseconds.push(await readPage(size));
    }
  }
  const points = sizes.map(({ rows, milliseconds }) => ({ x: rows, y: median(milliseconds) }));
  const units = await Promise.all(sizes.map(async ({ stand, test }) => (await pageOf(stand, test, 10)).cost.readUnits));
  const medians = points.map(({ x, y }) => `${x.toExponential(0).replace('e+', 'e')}: ${y.toFixed(2)} ms`).join(', ');
  const added = Math.max(...units) - Math.min(...units);
  return [
    {
      name: 'growthExponent',
      measured: exponentOf(points),
      note: `medians of ${ROUNDS * PAGES_PER_ROUND}: ${medians}`,
    },
    { name: 'growthUnits', measured: added, note: `${units.join(', ')} RRU` },
  ];
}

/** Milliseconds. */
async function readPage({ stand, test }: Size): Promise<number> {
  const started = performance.now();
  const { status } = await stand.api.get(`/test-results/${test.signature}${query(...EVER)}`);
  if (status !== 200) throw new Error(`A page of history was answered with ${status}`);
  return performance.now() - started;
}
