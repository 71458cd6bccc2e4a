import { describe, expect, test } from 'vitest';
import { query } from '#test/harness/client.ts';
import { historyItem, recordIdOf, SIGNATURE, storeHistory } from '#test/harness/history.ts';
import { runIdOf, runItem, storeRuns } from '#test/harness/history-runs.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';

type Stage = TestService & Tenant;
const FIRST = Date.parse('2026-11-02T09:00:00Z');
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

interface List {
  /** Adds `count` items to the list, oldest first. `from` is the number of the first item. */
  readonly fill: (stage: Stage, count: number, from?: number) => Promise<void>;
  readonly path: (stage: Stage) => string;
  readonly numberOf: (item: never) => number;
  readonly most: number;
}

const runsOfProject: List = {
  fill: ({ services, ...owner }, count, from = 0) =>
    storeRuns(
      services,
      numbers(count).map((n) => runItem(owner, { runId: runIdOf(from + n), createdAt: FIRST + from + n })),
    ),
  path: ({ projectId }) => `/projects/${projectId}/runs?`,
  numberOf: ({ runId }: { runId: string }) => Number.parseInt(runId, 16),
  most: 50,
};

const testResults: List = {
  fill: ({ services, ...owner }, count, from = 0) =>
    storeHistory(
      services,
      numbers(count).map((n) => historyItem(owner, { recordId: recordIdOf(from + n), recordedAt: FIRST + from + n })),
    ),
  path: () => `/test-results/${SIGNATURE}${query(['date_start', '2026-11-01'], ['date_end', '2026-12-01'])}&`,
  numberOf: ({ createdAt }: { createdAt: string }) => Date.parse(createdAt) - FIRST,
  most: 100,
};

describe.each([
  ['GET /projects/{projectId}/runs', runsOfProject],
  ['GET /test-results/{signature}', testResults],
])('§8 %s', (_, { fill, path, numberOf, most }) => {
  const get = async (stage: Stage, parameters: string) => (await stage.reader.get(path(stage) + parameters)).body;
  const page = async (stage: Stage, parameters: string) => {
    const { data, has_more } = await get(stage, parameters);
    return { numbers: data.map(numberOf), has_more };
  };
  const cursorOf = async (stage: Stage, number: number): Promise<string> => {
    const { data } = await get(stage, `limit=${most}`);
    return data.find((item: never) => numberOf(item) === number).cursor;
  };

  test('returns an empty page with `has_more` false if the list is empty', async () => {
    const stage = await service();
    expect(await get(stage, '')).toEqual({ status: 'OK', has_more: false, data: [] });
  });

  test('returns the ten newest items by default', async () => {
    const stage = await service();
    await fill(stage, 12);
    expect(await page(stage, '')).toEqual({ numbers: [11, 10, 9, 8, 7, 6, 5, 4, 3, 2], has_more: true });
  });

  test('sets `has_more` to true unless the page contains the last item', async () => {
    const stage = await service();
    await fill(stage, 5);
    expect(await page(stage, 'limit=4')).toEqual({ numbers: [4, 3, 2, 1], has_more: true });
    expect(await page(stage, 'limit=5')).toEqual({ numbers: [4, 3, 2, 1, 0], has_more: false });
    expect(await page(stage, 'limit=6')).toEqual({ numbers: [4, 3, 2, 1, 0], has_more: false });
  });

  test('returns older items with `starting_after`', async () => {
    const stage = await service();
    await fill(stage, 6);
    const cursor = await cursorOf(stage, 3);
    expect(await page(stage, `limit=2&starting_after=${cursor}`)).toEqual({ numbers: [2, 1], has_more: true });
    expect(await page(stage, `limit=3&starting_after=${cursor}`)).toEqual({ numbers: [2, 1, 0], has_more: false });
    expect(await page(stage, `starting_after=${await cursorOf(stage, 0)}`)).toEqual({ numbers: [], has_more: false });
  });

  test('returns the next newer items with `ending_before`, newest first', async () => {
    const stage = await service();
    await fill(stage, 6);
    const cursor = await cursorOf(stage, 2);
    expect(await page(stage, `limit=2&ending_before=${cursor}`)).toEqual({ numbers: [4, 3], has_more: true });
    expect(await page(stage, `limit=3&ending_before=${cursor}`)).toEqual({ numbers: [5, 4, 3], has_more: false });
    expect(await page(stage, `ending_before=${await cursorOf(stage, 5)}`)).toEqual({ numbers: [], has_more: false });
  });

  test('returns the same page again after newer items have arrived, and lists the new items with `ending_before`', async () => {
    const stage = await service();
    await fill(stage, 6);
    const cursor = await cursorOf(stage, 4);
    const before = await get(stage, `limit=3&starting_after=${cursor}`);
    await fill(stage, 3, 6);
    expect(await get(stage, `limit=3&starting_after=${cursor}`)).toEqual(before);
    expect(await page(stage, `ending_before=${await cursorOf(stage, 5)}`)).toEqual({
      numbers: [8, 7, 6],
      has_more: false,
    });
  });

  test('refuses a request with two cursors', async () => {
    const stage = await service();
    await fill(stage, 3);
    const cursor = await cursorOf(stage, 1);
    const answer = await stage.reader.get(`${path(stage)}starting_after=${cursor}&ending_before=${cursor}`);
    expect(answer).toMatchObject({
      status: 400,
      body: {
        status: 'FAILED',
        error: '`starting_after` and `ending_before` are mutually exclusive. Send only one of them',
      },
    });
  });

  test(`accepts a limit from 1 to ${most}, and refuses other limits with an error that says what is allowed`, async () => {
    const stage = await service();
    await fill(stage, most + 1);
    expect((await page(stage, 'limit=1')).numbers).toEqual([most]);
    expect(await page(stage, `limit=${most}`)).toMatchObject({ numbers: { length: most }, has_more: true });
    for (const [limit, problem] of [
      ['0', '`limit` must be at least 1'],
      ['-1', '`limit` must be at least 1'],
      [`${most + 1}`, `\`limit\` must be at most ${most}`],
      ['1.5', '`limit` must be an integer'],
      ['ten', '`limit` must be a number'],
      ['', '`limit` must be a number'],
      ['3&limit=4', '`limit` is given more than once. Send one value'],
    ]) {
      const answer = await stage.reader.get(`${path(stage)}limit=${limit}`);
      expect(answer).toMatchObject({ status: 400, body: { status: 'FAILED', error: problem } });
    }
  });

  test('accepts a cursor together with another date range, and lists no items outside that range', async () => {
    const stage = await service();
    await fill(stage, 6);
    const cursor = await cursorOf(stage, 3);
    const between = async (start: number, end: number, parameters: string) => {
      const range = {
        date_start: new Date(FIRST + start).toISOString(),
        date_end: new Date(FIRST + end).toISOString(),
      };
      const url = new URL(`http://localhost${path(stage)}${parameters}`);
      for (const [name, value] of Object.entries(range)) url.searchParams.set(name, value);
      const { data, has_more } = (await stage.reader.get(url.pathname + url.search)).body;
      return { numbers: data.map(numberOf), has_more };
    };
    expect(await between(0, 9, `starting_after=${cursor}`)).toEqual({ numbers: [2, 1, 0], has_more: false });
    expect(await between(2, 9, `starting_after=${cursor}`)).toEqual({ numbers: [2], has_more: false });
    expect(await between(0, 2, `starting_after=${cursor}`)).toEqual({ numbers: [1, 0], has_more: false });
    expect(await between(5, 9, `starting_after=${cursor}`)).toEqual({ numbers: [], has_more: false });
    expect(await between(0, 5, `ending_before=${cursor}`)).toEqual({ numbers: [4], has_more: false });
    expect(await between(5, 9, `ending_before=${cursor}`)).toEqual({ numbers: [5], has_more: false });
    expect(await between(0, 2, `ending_before=${cursor}`)).toEqual({ numbers: [], has_more: false });
  });

  test('accepts a cursor with another `limit`, but only with the filter for which it was issued', async () => {
    const stage = await service();
    await fill(stage, 4);
    const cursor = await cursorOf(stage, 2);
    expect((await stage.reader.get(`${path(stage)}limit=1&starting_after=${cursor}`)).status).toBe(200);
    const answer = await stage.reader.get(`${path(stage)}tags[]=slow&starting_after=${cursor}`);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(/cursor.*same filters/i) } });
  });
});
