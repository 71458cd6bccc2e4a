/**
 * Measures the cost of pages of one history with 9,000 executions: 4 % failed, 2 % are flaky, and 1 % are on a rare
 * branch.
 */
import * as z from 'zod';
import type { BenchService, Cost } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import {
  type HistoryTest,
  historyPath,
  RARE_BRANCH,
  SHORT_BRANCH,
  testOf,
  writeHistory,
  writeTerms,
} from './history.ts';

const EXECUTIONS = 9000;
const PAGES = 50;

const Page = z.object({ has_more: z.boolean(), data: z.array(z.object({ cursor: z.string() })) });

export const tripsOf = ({ trips }: Cost): string => `${trips} round trip${trips === 1 ? '' : 's'}`;

type Parameter = readonly [string, string];

/** Returns one page and its cost. Throws unless the page has the expected number of items. */
export async function pageOf(service: BenchService, test: HistoryTest, items: number, ...filter: readonly Parameter[]) {
  const path = historyPath(test, ...filter);
  const { result, cost } = await service.counted(() => service.api.get(path));
  const page = Page.parse(result.body);
  if (page.data.length !== items) throw new Error(`${path} has ${page.data.length} items, expected ${items}`);
  return { page, cost };
}

export async function measureReading(service: BenchService): Promise<Measurement[]> {
  const test = testOf(service, 'keeps the discount of an order');
  await writeHistory(service, [test], EXECUTIONS, { outcomes: 'mixed' });
  await writeTerms(service, EXECUTIONS);
  const walk = await walkPages(service, test);
  const mean = (name: 'readUnits' | 'trips') => walk.reduce((sum, cost) => sum + cost[name], 0) / walk.length;
  const worst = (name: 'readUnits' | 'trips') => Math.max(...walk.map((cost) => cost[name]));
  const note = (name: 'readUnits' | 'trips') => `mean of ${PAGES} pages, worst ${worst(name)}`;
  const rare = await pageOf(service, test, 10, ['branches[]', RARE_BRANCH]);
  const failed = await pageOf(service, test, 10, ['status[]', 'failed']);
  const none = await pageOf(service, test, 0, ['tags[]', 'nowhere']);
  const short = await pageOf(service, test, 10, ['branches[]', SHORT_BRANCH]);
  const unknown = await pageOf(service, test, 0, ['branches[]', 'nowhere']);
  return [
    { name: 'pageUnits', measured: mean('readUnits'), note: note('readUnits') },
    { name: 'pageTrips', measured: mean('trips'), note: note('trips') },
    { name: 'rareUnits', measured: rare.cost.readUnits, note: tripsOf(rare.cost) },
    { name: 'failedUnits', measured: failed.cost.readUnits, note: tripsOf(failed.cost) },
    { name: 'noMatchUnits', measured: none.cost.readUnits, note: tripsOf(none.cost) },
    { name: 'noMatchTrips', measured: none.cost.trips },
    { name: 'shortBranchUnits', measured: short.cost.readUnits, note: tripsOf(short.cost) },
    { name: 'unknownBranchUnits', measured: unknown.cost.readUnits, note: tripsOf(unknown.cost) },
  ];
}

/** Returns the cost of each of the newest pages of the history. */
async function walkPages(service: BenchService, test: HistoryTest): Promise<Cost[]> {
  const costs: Cost[] = [];
  let after: Parameter[] = [];
  while (costs.length < PAGES) {
    const { page, cost } = await pageOf(service, test, 10, ...after);
    costs.push(cost);
    after = [['starting_after', page.data.at(-1)?.cursor ?? '']];
  }
  return costs;
}
