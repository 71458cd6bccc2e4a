import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '#test/harness/cases.ts';
import { START, service } from '#test/harness/service.ts';
import {
  HOOK,
  type Item,
  ruleOf,
  type Stage,
  storeAffectedTests,
  storeDeliveries,
  storeFewRuns,
  storeProjects,
  storePullRequests,
  storeTerms,
} from './sample-lists.ts';

const FIRST = Date.parse('2026-11-02T09:00:00Z');
const batches = fc.array(
  fc.array(fc.record({ createdAt: fc.nat(5).map((n) => FIRST + n), isFailed: fc.boolean() }), { maxLength: 9 }),
  { minLength: 2, maxLength: 3 },
);

/** Items with the same timestamp are ordered by id. */
const isNewer = (one: Item, other: Item): boolean =>
  one.createdAt !== other.createdAt ? one.createdAt > other.createdAt : one.number > other.number;

interface Page {
  readonly has_more: boolean;
  readonly data: readonly {
    readonly cursor: string;
    readonly runId?: string;
    readonly projectId?: string;
    readonly deliveryId?: string;
    /** The number of a pull request, in the list of pull requests. */
    readonly id?: string;
    /** The text of a term. */
    readonly value?: string;
  }[];
}

interface List {
  readonly fill: (stage: Stage, items: readonly Item[]) => Promise<void>;
  readonly path: (stage: Stage) => string;
  readonly numberOf: (item: Page['data'][number]) => number;
  readonly isListed: (item: Item) => boolean;
  /** The items that the list of a new organization already contains. */
  readonly before: (stage: Stage) => Item[];
}

const LISTS: Readonly<Record<string, List>> = {
  'GET /projects': {
    fill: storeProjects,
    path: () => '/projects?',
    numberOf: ({ projectId = '' }) => Number.parseInt(projectId, 16),
    isListed: () => true,
    before: ({ projectId }) => [
      { number: Number.parseInt(projectId, 16), createdAt: START.getTime(), isFailed: false },
    ],
  },
  'GET /projects/{projectId}/runs': {
    fill: storeFewRuns,
    path: ({ projectId }) => `/projects/${projectId}/runs?`,
    numberOf: ({ runId = '' }) => Number.parseInt(runId, 16),
    isListed: () => true,
    before: () => [],
  },
  'GET /projects/{projectId}/runs?status=FAILED': {
    fill: storeFewRuns,
    path: ({ projectId }) => `/projects/${projectId}/runs?status=FAILED&`,
    numberOf: ({ runId = '' }) => Number.parseInt(runId, 16),
    isListed: ({ isFailed }) => isFailed,
    before: () => [],
  },
  'GET /projects/{projectId}/pull-requests?status=FAILED': {
    fill: storePullRequests,
    path: ({ projectId }) => `/projects/${projectId}/pull-requests?status=FAILED&`,
    numberOf: ({ id }) => Number(id),
    isListed: ({ isFailed }) => isFailed,
    before: () => [],
  },
  'GET /projects/{projectId}/terms/{termType}': {
    fill: storeTerms,
    path: ({ projectId }) => `/projects/${projectId}/terms/tag?`,
    numberOf: ({ value = '' }) => Number.parseInt(value, 16),
    isListed: () => true,
    before: () => [],
  },
  'GET /actions/{actionId}/tests': {
    fill: storeAffectedTests,
    path: ({ projectId }) =>
      `/actions/${ruleOf(projectId)}/tests?date_start=2000-01-01&date_end=2999-01-01&search=main&`,
    numberOf: ({ runId = '' }) => Number.parseInt(runId, 16),
    isListed: ({ isFailed }) => isFailed,
    before: () => [],
  },
  'GET /webhooks/{hookId}/deliveries': {
    fill: storeDeliveries,
    path: () => `/webhooks/${HOOK}/deliveries?`,
    numberOf: ({ deliveryId = '' }) => Number.parseInt(deliveryId.slice(-24), 16),
    isListed: ({ isFailed }) => !isFailed,
    before: () => [],
  },
};

interface Seen {
  readonly item: Item;
  readonly cursor: string;
}

class Walk {
  readonly #stage: Stage;
  readonly #list: List;
  readonly #limit: number;
  readonly #known: Item[];

  constructor(stage: Stage, list: List, limit: number) {
    this.#stage = stage;
    this.#list = list;
    this.#limit = limit;
    this.#known = list.before(stage);
  }

  async arrive(items: readonly Item[]): Promise<void> {
    this.#known.push(...items);
    await this.#list.fill(this.#stage, items);
  }

  /**
   * Reads page after page up to the oldest or newest item and checks each page, while new items arrive. Returns the
   * last item.
   */
  async to(end: 'oldest' | 'newest', start: Seen | undefined, arrivals: Item[][]): Promise<Seen | undefined> {
    let seen = start;
    for (let goesOn = true; goesOn; ) {
      const { data, has_more } = await this.#page(end, seen);
      goesOn = has_more;
      const last = end === 'oldest' ? data.at(-1) : data[0];
      const item = last && this.#known.find(({ number }) => number === this.#list.numberOf(last));
      seen = last && item ? { item, cursor: last.cursor } : seen;
      await this.arrive(arrivals.shift() ?? []);
    }
    return seen;
  }

  async #page(end: 'oldest' | 'newest', seen: Seen | undefined): Promise<Page> {
    const cursor = seen ? `&${end === 'oldest' ? 'starting_after' : 'ending_before'}=${seen.cursor}` : '';
    const answer = await this.#stage.reader.get(`${this.#list.path(this.#stage)}limit=${this.#limit}${cursor}`);
    const ahead = this.#known
      .filter(this.#list.isListed)
      .filter((item) => !seen || (end === 'oldest' ? isNewer(seen.item, item) : isNewer(item, seen.item)))
      .sort((one, other) => (isNewer(one, other) ? -1 : 1))
      .map(({ number }) => number);
    const { data, has_more } = answer.body;
    expect({ numbers: data.map(this.#list.numberOf), has_more }).toEqual({
      numbers: end === 'oldest' ? ahead.slice(0, this.#limit) : ahead.slice(-this.#limit),
      has_more: ahead.length > this.#limit,
    });
    return answer.body;
  }
}

describe.each(Object.entries(LISTS))('§8 %s', (_, list) => {
  test('A list returns each item once in either direction, however many items have the same timestamp', async () => {
    await fc.assert(
      fc.asyncProperty(batches, batches, fc.integer({ min: 1, max: 6 }), async (before, after, limit) => {
        const walk = new Walk(await service(), list, limit);
        let number = 0;
        const numbered = (drafts: typeof before): Item[][] =>
          drafts.map((batch) => batch.map((draft) => ({ ...draft, number: ++number })));
        const [first = [], ...arrivals] = numbered(before);
        await walk.arrive(first);
        const oldest = await walk.to('oldest', undefined, arrivals);
        if (oldest) await walk.to('newest', oldest, numbered(after));
      }),
      { numRuns: cases(25, 3) },
    );
  });
});
