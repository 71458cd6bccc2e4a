import { describe, expect, test } from 'vitest';
import {
  type HistoryItem,
  historyItem,
  recordIdIn,
  recordIdOf,
  SIGNATURE,
  storeHistory,
} from '#test/harness/history.ts';
import { beforeTableCalls, service, type Tenant, watchTable } from '#test/harness/service.ts';

watchTable();

const owner = (description: string | null) => ({ type: 'owner', description });

/** The executions to store, oldest first. Each key is a name by which the tests refer to the execution. */
const ROWS: Readonly<Record<string, Partial<HistoryItem>>> = {
  plain: { branch: null, authorName: null, authorEmail: null },
  main: { branch: 'main', tags: ['slow', 'shop'], environment: 'staging', annotations: [owner('payments')] },
  release: {
    branch: 'release/1',
    tags: ['shop'],
    groupId: 'wholesale',
    annotations: [owner(null), { type: 'issue', description: '7' }],
  },
  failed: {
    branch: 'releases',
    outcome: 'failed',
    authorName: 'Bo',
    authorEmail: 'bo@example.com',
    environment: 'production',
  },
  flaky: { branch: 'release/2', flaky: true, annotations: [owner('cart'), owner('stock')] },
  flakyFailed: { branch: null, outcome: 'failed', flaky: true },
  pending: { branch: 'Main', outcome: 'pending', tags: ['slow'] },
  skipped: { branch: 'x', outcome: 'skipped', groupId: 'wholesale' },
};
const names = Object.keys(ROWS);

async function stored(): Promise<Tenant> {
  const { services, ...tenant } = await service();
  const items = Object.values(ROWS).map((row, index) =>
    historyItem(tenant, {
      recordId: recordIdOf(index),
      recordedAt: Date.parse('2026-11-02T09:00:00Z') + index,
      ...row,
    }),
  );
  await storeHistory(services, items);
  return tenant;
}

let shared: Promise<Tenant> | undefined;
/** Stores the executions once. Tests can share them, because no test changes them. */
const stage = () => (shared ??= stored());

const ask = ({ reader }: Tenant, query: string) =>
  reader.get(`/test-results/${SIGNATURE}?date_start=2026-11-01&date_end=2026-12-01&${query}`);

/** Returns the names of the executions that match a query, oldest first. */
async function found(tenant: Tenant, query: string): Promise<string[]> {
  const { status, body } = await ask(tenant, query);
  expect(status).toBe(200);
  return body.data
    .map((result: Parameters<typeof recordIdIn>[0]) => names[Number.parseInt(recordIdIn(result), 16)])
    .reverse();
}

const annotated = (...filter: object[]) => `annotations=${encodeURIComponent(JSON.stringify(filter))}`;

describe('GET /test-results/{signature}', () => {
  test.each([
    ['', names],
    ['tags[]=slow', ['main', 'pending']],
    ['tags[]=slow&tags[]=shop', ['main', 'release', 'pending']],
    ['tags[]=slo', []],
    ['branches[]=main', ['main']],
    ['branches[]=release/*', ['release', 'flaky']],
    ['branches[]=release*&branches[]=x', ['release', 'failed', 'flaky', 'skipped']],
    ['branches[]=*', ['main', 'release', 'failed', 'flaky', 'pending', 'skipped']],
    ['authors[]=Bo', ['failed']],
    ['authors[]=bo@example.com', ['failed']],
    ['authors[]=bo', []],
    ['groups[]=wholesale', ['release', 'skipped']],
    ['groups[]=wholesale&groups[]=retail', names],
    ['environments[]=staging&environments[]=production', ['main', 'failed']],
    ['status[]=failed', ['failed', 'flakyFailed']],
    ['status[]=failed&status[]=skipped', ['failed', 'flakyFailed', 'skipped']],
    ['status[]=passed', ['plain', 'main', 'release', 'flaky']],
    ['status[]=pending', ['pending']],
    ['flaky=true', ['flaky', 'flakyFailed']],
    ['flaky=false', names.filter((name) => !name.startsWith('flaky'))],
    ['flaky=true&status[]=passed', ['flaky']],
    ['flaky=false&status[]=failed', ['failed']],
    ['tags[]=shop&branches[]=release/*&groups[]=wholesale&authors[]=Alex%20Doe', ['release']],
    ['tags[]=shop&branches[]=main&groups[]=wholesale', []],
    [annotated({ type: 'owner' }), ['main', 'release', 'flaky']],
    [annotated({ type: 'owner', description: null }), ['main', 'release', 'flaky']],
    [annotated({ type: 'owner', description: 'payments' }), ['main']],
    [annotated({ type: 'owner', description: ['payments', 'stock'] }), ['main', 'flaky']],
    [annotated({ type: 'owner', description: [] }), []],
    [annotated({ type: 'owner', description: '' }), []],
    [annotated({ type: 'issue' }, { type: 'owner', description: 'cart' }), ['release', 'flaky']],
    [annotated({ type: 'Owner' }), []],
    [annotated(), names],
    [`${annotated({ type: 'owner' })}&flaky=true`, ['flaky']],
  ])('returns the matching executions for the query "%s"', async (query, expected) => {
    expect(await found(await stage(), query)).toEqual(expected);
  });

  test.each([
    ['branch[]=release/*', 'branches[]=release/*', true],
    ['branch=main&branches[]=x', 'branches[]=x&branches[]=main', true],
    ['tag[]=slow', 'tags[]=slow', true],
    ['tag=slow', 'tags[]=slow', true],
    ['git_author[]=Bo', 'authors[]=Bo', true],
    ['git_author=Bo', 'authors[]=Bo', true],
    ['group[]=wholesale', 'groups[]=wholesale', true],
    ['tag=slow%26tag%5B%5D%3Dshop', 'tags[]=slow&tags[]=shop', true],
    ['git_author=Bo%26git_author%5B%5D%3DAlex%20Doe', 'authors[]=Bo&authors[]=Alex%20Doe', true],
    ['branch=main%26branch%5B%5D%3Drelease/*', 'branches[]=main&branches[]=release/*', true],
    ['status=failed&status=skipped', 'status[]=failed&status[]=skipped', false],
    ['tags=slow&tags=shop', 'tags[]=slow&tags[]=shop', false],
    ['branches=release/*', 'branches[]=release/*', false],
    ['groups=wholesale&authors=Alex%20Doe', 'groups[]=wholesale&authors[]=Alex%20Doe', false],
  ])('treats the parameter %s like %s (deprecated: %s)', async (written, current, isDeprecated) => {
    const tenant = await stage();
    expect(await found(tenant, written)).toEqual(await found(tenant, current));
    const { headers } = await ask(tenant, written);
    expect(headers.get('deprecation')).toEqual(isDeprecated ? expect.stringMatching(/^@\d{10}$/) : null);
    expect(headers.get('link')).toEqual(isDeprecated ? expect.stringMatching(/^<http.*>; rel="deprecation"/) : null);
  });

  test('applies all values of a filter that has the maximum of fifty values', async () => {
    const tenant = await stage();
    const values = Array.from({ length: 49 }, (_, index) => `tags[]=none${index}`);
    expect(await found(tenant, [...values, 'tags[]=slow'].join('&'))).toEqual(['main', 'pending']);
  });

  test.each([
    ['status[]=PASSED', '`status[0]` must be one of passed, failed, pending, skipped'],
    ['flaky=1', '`flaky` must be `true` or `false`'],
    ['flaky=true&flaky=false', '`flaky` is given more than once. Send one value'],
    ['branches[]=a%20b', '`branches[0]` must be a branch name, or a prefix with one trailing `*`, in printable ASCII'],
    ['branches[]=**', '`branches[0]` must be a branch name'],
    ['branches[]=a*b', '`branches[0]` must be a branch name'],
    ['branches[]=%C3%A9', '`branches[0]` must be a branch name'],
    [`branches[]=${'b'.repeat(251)}`, '`branches[0]` must have at most 250 characters'],
    ['branch=a%20b', '`branch[0]` must be a branch name'],
    ['tags[]=', '`tags[0]` must have at least 1 character'],
    ['annotations=', '`annotations` must be a JSON array such as [{"type":"owner","description":"payments"}]'],
    ['annotations={}', '`annotations` must be a JSON array'],
    ['annotations=[7]', '`annotations` must be a JSON array'],
    ['annotations=[{"description":"a"}]', '`annotations` must be a JSON array'],
    ['annotations=[{"type":"a","description":7}]', '`annotations` must be a JSON array'],
    ['starting_after=nonsense', 'Invalid cursor. Send the `cursor` of an item from this list'],
    ['starting_after=', '`starting_after` must have at least 1 character'],
  ])('refuses %s and says what to send', async (query, problem) => {
    const answer = await ask(await service(), query.replaceAll(/[{}]/g, encodeURIComponent));
    expect(answer).toMatchObject({ status: 400, body: { status: 'FAILED', error: expect.stringContaining(problem) } });
  });

  test('A filter that matches none of 2,000 executions reads them in four queries, and the database applies it', async () => {
    const { services, ...tenant } = await service();
    const rows = Array.from({ length: 2000 }, (_, index) =>
      historyItem(tenant, { recordId: recordIdOf(index), recordedAt: Date.parse('2026-11-02T09:00:00Z') + index }),
    );
    await storeHistory(services, rows);
    const queries: string[] = [];
    const { body } = await beforeTableCalls(
      ({ operation, body }) => operation === 'Query' && body.includes('HISTORY#') && queries.push(body),
      () => ask(tenant, 'tags[]=nowhere'),
    );
    expect(body).toMatchObject({ data: [], has_more: false });
    expect(queries).toHaveLength(4);
    expect(queries.filter((query) => query.includes('FilterExpression'))).toHaveLength(4);
  });
});
