import { expect, test } from 'vitest';
import * as z from 'zod';
import { ensureNames } from '#shared/analytics/names.ts';
import type { SeriesName } from '#shared/analytics/series.ts';
import { logLines, service } from '#test/harness/service.ts';

const Logged = z.looseObject({ operationId: z.literal('searchProject'), readUnits: z.number() });
const VERBS = ['adds', 'removes', 'shows', 'refuses', 'sends', 'keeps', 'rounds', 'finds', 'opens', 'closes'];
const NOUNS = ['a card', 'the tax', 'an order', 'the stock', 'a price', 'the address', 'a voucher', 'the cart'];
const WHEN = ['after a reload', 'for a guest', 'in two currencies', 'without a network', 'on a phone', 'at midnight'];

const pick = (all: readonly string[], seed: number): string => all[seed % all.length] ?? '';
/** Returns a realistic title, which combines a few words. */
const titleOf = (number: number): string =>
  `${pick(VERBS, number * 7)} ${pick(NOUNS, Math.floor(number / 3))} ${pick(WHEN, Math.floor(number / 11))} ${number.toString(36)}`;

/** The read units that the function of the last search logged. The reads of the authorizer are not included. */
const lastCost = (): number =>
  logLines.flatMap((line) => Logged.safeParse(JSON.parse(line)).data ?? []).at(-1)?.readUnits ?? Number.NaN;

test('The first search of a Lambda container in a project with 10,000 tests costs at most 30 read units, and later searches cost at most 10', async () => {
  const stage = await service();
  const { services, organizationId, projectId, reader } = stage;
  const list = { organizationId, projectId };
  const specs = Array.from({ length: 500 }, (_, number) => `checkout/area-${number % 40}/file-${number}.spec.ts`);
  await ensureNames<string>(services, { ...list, kind: 'SPEC' }, (known) => (known.size === 0 ? specs : []));
  const names = Array.from(
    { length: 10_000 },
    (_, number): SeriesName => [number % 500, ['checkout', titleOf(number)], [], []],
  );
  await ensureNames<SeriesName>(services, { ...list, kind: 'TEST' }, (known) => names.slice(known.size));
  const costs: number[] = [];
  for (const q of ['voucher midnight', 'tax guest', '2ab']) {
    const { body } = await reader.get(`/projects/${projectId}/search?q=${encodeURIComponent(q)}`);
    expect(body.data.tests.data.length).toBeGreaterThan(0);
    costs.push(lastCost());
  }
  const [first = 0, ...later] = costs;
  expect(first).toBeLessThanOrEqual(30);
  for (const cost of later) expect(cost).toBeLessThanOrEqual(10);
});
