import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '#test/harness/cases.ts';
import { query } from '#test/harness/client.ts';
import { type HistoryItem, historyItem, recordIdIn, recordIdOf, storeHistory } from '#test/harness/history.ts';
import { type HistoryFilter, pageOf, parametersOf } from '#test/harness/history-oracle.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';

const FIRST = Date.parse('2026-11-02T09:00:00Z');
const FILTERS: readonly HistoryFilter[] = [
  {},
  { status: ['failed', 'skipped'] },
  { flaky: true },
  { flaky: false, status: ['passed'] },
  { tags: ['slow'] },
  { branches: ['release/*', 'main'], status: ['passed', 'pending'] },
];

type Draft = Pick<HistoryItem, 'recordedAt' | 'outcome' | 'flaky' | 'tags' | 'branch'>;
const draft: fc.Arbitrary<Draft> = fc.record({
  // Most rows share their timestamp in milliseconds with other rows.
  recordedAt: fc.nat(6).map((milliseconds) => FIRST + milliseconds),
  outcome: fc.constantFrom('passed', 'passed', 'failed', 'pending', 'skipped'),
  flaky: fc.boolean(),
  tags: fc.subarray(['slow', 'smoke']),
  branch: fc.constantFrom('main', 'release/1', 'feature', null),
});

type Step =
  | { readonly kind: 'insert'; readonly drafts: readonly Draft[] }
  | {
      readonly kind: 'walk';
      readonly walker: number;
      readonly to: 'start' | 'older' | 'newer';
      /**
       * The position of the item from which to continue, within the current page: 0 is the last item in the reading
       * direction.
       */
      readonly from: number;
      readonly limit: number;
    };

const steps = fc.array(
  fc.oneof(
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('insert' as const),
        drafts: fc.array(draft, { minLength: 1, maxLength: 8 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('walk' as const),
        walker: fc.nat(FILTERS.length - 1),
        to: fc.constantFrom('start', 'older', 'older', 'newer'),
        from: fc.constantFrom(0, 0, 0, 1, 2),
        limit: fc.constantFrom(1, 2, 3, 7, 100),
      }),
    },
  ),
  { minLength: 5, maxLength: 30 },
);

interface Held {
  readonly recordId: string;
  readonly cursor: string;
}

/** The history of one test, the items that it must contain, and the current page of each reader. */
class Walk {
  readonly #tenant: TestService & Tenant;
  readonly #signature: string;
  readonly #items = new Map<string, HistoryItem>();
  readonly #pages = new Map<number, readonly Held[]>();

  constructor(tenant: TestService & Tenant, signature: string) {
    this.#tenant = tenant;
    this.#signature = signature;
  }

  async insert(drafts: readonly Draft[]): Promise<void> {
    const items = drafts.map((one, index) => {
      // Ids are not in order, so a new row may be sorted anywhere among the rows of the same millisecond.
      const recordId = recordIdOf(((this.#items.size + index) * 7919) % 65_521);
      return historyItem(this.#tenant, { ...one, signature: this.#signature, recordId });
    });
    for (const item of items) this.#items.set(item.recordId, item);
    await storeHistory(this.#tenant.services, items);
  }

  async step({ walker, to, from, limit }: Extract<Step, { kind: 'walk' }>): Promise<void> {
    const held = this.#pages.get(walker) ?? [];
    const start = to === 'start' ? undefined : to === 'older' ? held.at(-1 - from) : held[from];
    const filter = FILTERS[walker] ?? {};
    const item = this.#items.get(start?.recordId ?? '');
    const expected = pageOf([...this.#items.values()], filter, {
      limit,
      ...(item && to === 'older' ? { startingAfter: item } : {}),
      ...(item && to === 'newer' ? { endingBefore: item } : {}),
    });
    const cursor: [string, string][] = start
      ? [[to === 'older' ? 'starting_after' : 'ending_before', start.cursor]]
      : [];
    const { data, has_more } = await this.#page(filter, limit, cursor);
    const page = data.map((result) => ({ recordId: recordIdIn(result), cursor: result.cursor }));
    expect({ recordIds: page.map(({ recordId }) => recordId), has_more }).toEqual(expected);
    this.#pages.set(walker, page);
  }

  async #page(filter: HistoryFilter, limit: number, cursor: readonly [string, string][]): Promise<Page> {
    const range: [string, string][] = [
      ['date_start', '2026-11-01'],
      ['date_end', '2026-12-01'],
    ];
    const parameters = query(...range, ['limit', String(limit)], ...parametersOf(filter), ...cursor);
    const answer = await this.#tenant.reader.get(`/test-results/${this.#signature}${parameters}`);
    expect(answer).toMatchObject({ status: 200, body: { status: 'OK' } });
    return answer.body;
  }
}

interface Page {
  readonly has_more: boolean;
  readonly data: readonly { cursor: string; attempts: { attemptId: string }[] }[];
}

describe('§8 Pages of a history', () => {
  test('Pages of a history equal those of a reference implementation in both directions, with and without filters, even while new results arrive', async () => {
    const tenant = await service();
    let histories = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        histories += 1;
        const walk = new Walk(tenant, histories.toString(16).padStart(32, '0'));
        for (const step of all) await (step.kind === 'insert' ? walk.insert(step.drafts) : walk.step(step));
      }),
      { numRuns: cases(40, 6) },
    );
  });

  test('Pages of a history are full and in order, even if only a few of thousands of rows match', async () => {
    const tenant = await service();
    const items = Array.from({ length: 2500 }, (_, index) =>
      historyItem(tenant, {
        recordedAt: FIRST + Math.floor(index / 3),
        recordId: recordIdOf(index),
        tags: index % 170 === 7 ? ['rare'] : [],
      }),
    );
    await storeHistory(tenant.services, items);
    const filter = { tags: ['rare'] };
    const all = pageOf(items, filter, { limit: 100 }).recordIds;
    const path = (...more: [string, string][]) =>
      `/test-results/${items[0]?.signature}${query(['date_start', '2026-11-01'], ['date_end', '2026-12-01'], ['limit', '4'], ...parametersOf(filter), ...more)}`;
    const walked = async (name: string, from: string | undefined): Promise<Page[]> => {
      const { body } = await tenant.reader.get(path(...(from ? [[name, from] as [string, string]] : [])));
      const next = (name === 'starting_after' ? body.data.at(-1) : body.data[0])?.cursor;
      return [body, ...(body.has_more ? await walked(name, next) : [])];
    };
    const older = await walked('starting_after', undefined);
    expect(older.flatMap(({ data }) => data.map(recordIdIn))).toEqual(all);
    expect(older.map(({ data }) => data.length)).toEqual([4, 4, 4, 3]);
    const newer = await walked('ending_before', older.at(-1)?.data.at(-1)?.cursor);
    expect(newer.reverse().flatMap(({ data }) => data.map(recordIdIn))).toEqual(all.slice(0, -1));
  });
});
