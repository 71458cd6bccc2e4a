/** What pages of one test's history cost: 9,000 executions, a hundred a day, 4 % failed, 2 % flaky, 1 % of a rare branch. */
import * as z from 'zod';
import { query } from '#test/harness/client.ts';
import type { Measurement } from './budgets.ts';
import { EVER, RARE_BRANCH, type Told, testOf, writeHistory } from './history.ts';
import type { Cost, Stand } from './stand.ts';

const EXECUTIONS = 9000;
const PAGES = 50;

const Page = z.object({ has_more: z.boolean(), data: z.array(z.object({ cursor: z.string() })) });

export const tripsOf = ({ trips }: Cost): string => `${trips} round trip${trips === 1 ? '' : 's'}`;

type Parameter = readonly [string, string];

/** One page, and what it cost. Throws unless it has as many items as expected. */
export async function pageOf(stand: Stand, { signature }: Told, items: number, ...filter: readonly Parameter[]) {
  const path = `/test-results/${signature}${query(...EVER, ...filter)}`;
  const { result, cost } = await stand.counted(() => stand.api.get(path));
  const page = Page.parse(result.body);
  if (page.data.length !== items) throw new Error(`${path} has ${page.data.length} items, expected ${items}`);
  return { page, cost };
}

export async function measureReading(stand: Stand): Promise<Measurement[]> {
  const test = testOf(stand, 'keeps the discount of an order');
  await writeHistory(stand, [test], EXECUTIONS, { outcomes: 'mixed' });
  const walk = await walkPages(stand, test);
  const mean = (name: 'readUnits' | 'trips') => walk.reduce((sum, cost) => sum + cost[name], 0) / walk.length;
  const worst = (name: 'readUnits' | 'trips') => Math.max(...walk.map((cost) => cost[name]));
  const note = (name: 'readUnits' | 'trips') => `mean of ${PAGES} pages, worst ${worst(name)}`;
  const rare = await pageOf(stand, test, 10, ['branches[]', RARE_BRANCH]);
  const failed = await pageOf(stand, test, 10, ['status[]', 'failed']);
  const none = await pageOf(stand, test, 0, ['branches[]', 'nowhere']);
  return [
    { name: 'pageUnits', measured: mean('readUnits'), note: note('readUnits') },
    { name: 'pageTrips', measured: mean('trips'), note: note('trips') },
    { name: 'rareUnits', measured: rare.cost.readUnits, note: tripsOf(rare.cost) },
    { name: 'failedUnits', measured: failed.cost.readUnits, note: tripsOf(failed.cost) },
    { name: 'noMatchUnits', measured: none.cost.readUnits, note: tripsOf(none.cost) },
  ];
}

/** Costs of the pages from the newest on. */
async function walkPages(stand: Stand, test: Told): Promise<Cost[]> {
  const costs: Cost[] = [];
  let after: Parameter[] = [];
  while (costs.length < PAGES) {
    const { page, cost } = await pageOf(stand, test, 10, ...after);
    costs.push(cost);
    after = [['starting_after', page.data.at(-1)?.cursor ?? '']];
  }
  return costs;
}
