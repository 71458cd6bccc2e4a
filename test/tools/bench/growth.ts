/** Measures whether history pages get slower as the table grows, with one table per size. */
import { type BenchService, type BenchSetup, openService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { type HistoryTest, historyPath, testOf, writeHistory } from './history.ts';
import { exponentOf, median } from './medians.ts';
import { note } from './progress.ts';
import { pageOf } from './reading.ts';

/** The number of tests in the table. Pages are read for only one of them. */
const TESTS = 10;
const ROUNDS = 60;
const PAGES_PER_ROUND = 4;
const WARM_UP_PAGES = 30;
/**
 * If writing the rows of a table size would take more than this many seconds, the bench skips this size and all larger
 * ones, and prints a note.
 */
const LONGEST_WRITE_SECONDS = 420;

interface Size {
  readonly rows: number;
  readonly service: BenchService;
  readonly test: HistoryTest;
  readonly milliseconds: number[];
}

/** Measures pages for each table size. `sizes` are the numbers of history rows, in ascending order. */
export async function measureGrowth(setup: BenchSetup, sizes: readonly number[]): Promise<Measurement[]> {
  const filled: Size[] = [];
  let rowsPerSecond = Number.POSITIVE_INFINITY;
  for (const rows of sizes) {
    if (rows / rowsPerSecond > LONGEST_WRITE_SECONDS) {
      note(`${rows.toLocaleString('en')} rows would take ${Math.round(rows / rowsPerSecond)} s to write: skipped`);
      break;
    }
    const started = performance.now();
    filled.push(await fill(setup, rows));
    rowsPerSecond = (rows * 1000) / (performance.now() - started);
  }
  const measured = await timePages(filled);
  await Promise.all(filled.map(({ service }) => service.close()));
  return measured;
}

async function fill(setup: BenchSetup, rows: number): Promise<Size> {
  const service = await openService(setup);
  const tests = Array.from({ length: TESTS }, (_, index) => testOf(service, `test ${index}`));
  const [test] = tests;
  if (!test) throw new Error('The list of tests is empty');
  let written = 0;
  const onRows = (more: number) => {
    written += more;
    note(`    ${written.toLocaleString('en')} of ${rows.toLocaleString('en')} history rows written`, 'transient');
  };
  await writeHistory(service, tests, rows / TESTS, { outcomes: 'passed', onRows });
  return { rows, service, test, milliseconds: [] };
}

async function timePages(sizes: readonly Size[]): Promise<Measurement[]> {
  for (const size of sizes) for (let page = 0; page < WARM_UP_PAGES; page += 1) await readPage(size);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const size of sizes) {
      for (let page = 0; page < PAGES_PER_ROUND; page += 1) size.milliseconds.push(await readPage(size));
    }
  }
  const points = sizes.map(({ rows, milliseconds }) => ({ x: rows, y: median(milliseconds) }));
  const units = await Promise.all(
    sizes.map(async ({ service, test }) => (await pageOf(service, test, 10)).cost.readUnits),
  );
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

/** Reads one page, and returns how many milliseconds that took. */
async function readPage({ service, test }: Size): Promise<number> {
  const started = performance.now();
  const { status } = await service.api.get(historyPath(test));
  if (status !== 200) throw new Error(`A page of history was answered with ${status}`);
  return performance.now() - started;
}
