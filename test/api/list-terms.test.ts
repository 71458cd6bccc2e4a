import { describe, expect, test } from 'vitest';
import { recordTerms } from '#shared/analytics/record-terms.ts';
import { put } from '#shared/engine/table/writes.ts';
import { getTermsSpan, terms } from '#shared/model/runs/term.ts';
import { compileRuns } from '#test/harness/analytics.ts';
import { runItem } from '#test/harness/history-runs.ts';
import { recordRun } from '#test/harness/recording.ts';
import { COMMIT, passed } from '#test/harness/recording-messages.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';

const HOUR = 3_600_000;

const list = async ({ reader, projectId }: Tenant, type: string, query = '') => {
  const { status, body } = await reader.get(`/projects/${projectId}/terms/${type}${query}`);
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'OK' } });
  return body;
};
const valuesOf = (body: { data: { value: string }[] }) => body.data.map(({ value }) => value);

type Stage = Awaited<ReturnType<typeof service>>;

let builds = 0;
/** Records a complete run on `branch`, and adds it to the read model of analytics. */
async function recordOn(stage: Stage, branch: string, test = passed(), tags: string[] = []): Promise<void> {
  builds += 1;
  const more = { ciBuildId: `build ${builds}`, commit: { ...COMMIT, branch }, tags };
  await recordRun(stage, { retail: { tags: ['of group'], tests: { 'tax.spec.ts > rounds': test } } }, more);
  await compileRuns(stage);
}

/** Stores the terms of a run on `branch` without recording the run. */
const use = ({ services, organizationId, projectId }: Stage, branch: string, createdAt = Date.now()) =>
  recordTerms(services, {
    run: runItem(
      { organizationId, projectId },
      { createdAt, commit: { ...runItem({ organizationId, projectId }).commit, branch } },
    ),
    groups: [],
    tests: [],
  });

describe('GET /projects/{projectId}/terms/{termType}', () => {
  test('lists the branches, tags, groups, authors, frameworks and annotations of ended runs by type', async () => {
    const stage = await service();
    const annotations = [{ type: 'owner', description: 'payments' }];
    await recordOn(stage, 'main', passed({ tags: ['@slow'], annotations }), ['nightly']);
    const { data } = await list(stage, 'branch');
    expect(data).toEqual([{ value: 'main', lastUsedAt: '2026-11-02T10:00:00.000Z', cursor: expect.any(String) }]);
    const found = async (type: string) => valuesOf(await list(stage, type)).sort();
    expect(await found('tag')).toEqual(['@slow', 'nightly', 'of group']);
    expect(await found('group')).toEqual(['retail']);
    expect(await found('authorName')).toEqual(['Alex Doe']);
    expect(await found('authorEmail')).toEqual(['alex.doe@example.com']);
    expect(await found('framework')).toEqual(['pw']);
    expect(await found('ann_type')).toEqual(['owner']);
    expect(await found('ann_desc')).toEqual(['payments']);
  });

  test('returns a CSV file for `format=csv`, and no value in the file can run as a formula in a spreadsheet', async () => {
    const stage = await service();
    for (const branch of ['main', '=cmd|a', 'release, "two"\nlines']) {
      await use(stage, branch);
      clock.advance(1000);
    }
    const { data } = await list(stage, 'branch');
    const { status, headers, body } = await stage.reader.get(
      `/projects/${stage.projectId}/terms/branch?format=csv&limit=2&dir=desc`,
    );
    expect([status, headers.get('content-type'), headers.get('x-has-more')]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'true',
    ]);
    const cellOf = new Map([
      ['=cmd|a', "'=cmd|a"],
      ['release, "two"\nlines', '"release, ""two""\nlines"'],
    ]);
    const rows = data
      .slice(0, 2)
      .map(({ value, lastUsedAt, cursor }: Record<'value' | 'lastUsedAt' | 'cursor', string>) =>
        [cellOf.get(value) ?? value, lastUsedAt, cursor].join(','),
      );
    expect(body).toBe(['value,lastUsedAt,cursor', ...rows, ''].join('\r\n'));
  });

  test('omits annotations that reporters add themselves', async () => {
    const stage = await service();
    await recordOn(stage, 'main', passed({ annotations: [{ type: '_currents:action:match', description: '{}' }] }));
    expect(valuesOf(await list(stage, 'ann_type'))).toEqual([]);
  });

  test('sorts terms by the time of their last use in both directions, and searches case-insensitively', async () => {
    const stage = await service();
    for (const branch of ['main', 'feat/a', 'feat/b']) {
      await use(stage, branch);
      clock.advance(2 * HOUR);
    }
    await use(stage, 'feat/a');
    expect(valuesOf(await list(stage, 'branch'))).toEqual(['feat/a', 'feat/b', 'main']);
    expect(valuesOf(await list(stage, 'branch', '?dir=asc'))).toEqual(['main', 'feat/b', 'feat/a']);
    expect(valuesOf(await list(stage, 'branch', '?search=FEAT/'))).toEqual(['feat/a', 'feat/b']);
  });

  test.each(['asc', 'desc'])(
    'lists every term exactly once through `starting_after`, and the terms before the last one through `ending_before`: dir=%s',
    async (dir) => {
      const stage = await service();
      const branches = Array.from({ length: 7 }, (_, index) => `branch ${index}`);
      // Six of the seven branches form pairs with the same time of last use.
      for (const [index, branch] of branches.entries()) await use(stage, branch, Date.now() + (index >> 1) * 1000);
      const all = valuesOf(await list(stage, 'branch', `?dir=${dir}`));
      expect([...all].sort()).toEqual(branches);
      for (const limit of [1, 2, 3, 7]) {
        const seen: string[] = [];
        let cursor = '';
        for (let more = true; more; ) {
          const body = await list(
            stage,
            'branch',
            `?dir=${dir}&limit=${limit}${cursor && `&starting_after=${cursor}`}`,
          );
          seen.push(...valuesOf(body));
          cursor = body.data.at(-1).cursor;
          more = body.has_more;
        }
        expect(seen).toEqual(all);
        const back = await list(stage, 'branch', `?dir=${dir}&limit=${limit}&ending_before=${cursor}`);
        expect(valuesOf(back)).toEqual(all.slice(0, -1).slice(-limit));
        expect(back.has_more).toBe(limit < all.length - 1);
      }
    },
  );

  test('lists only the 5,000 terms that come first alphabetically, and marks a longer list as truncated', async () => {
    const stage = await service();
    const { services, organizationId, projectId } = stage;
    const times = { lastUsedAt: Date.now(), expiresAt: Math.ceil(Date.now() / 1000) + 3600 };
    const names = Array.from({ length: 5001 }, (_, place) => `branch ${String(place).padStart(4, '0')}`);
    const branches = { organizationId, projectId, termType: 'branch' } as const;
    await services.table.writeMany(names.slice(1).map((value) => put(terms, { ...branches, value, ...times })));
    expect(await list(stage, 'branch', '?limit=1')).toMatchObject({ truncated: false });
    await services.table.writeMany(names.slice(0, 1).map((value) => put(terms, { ...branches, value, ...times })));
    expect(await list(stage, 'branch', '?limit=1')).toMatchObject({ truncated: true, has_more: true });
    expect(valuesOf(await list(stage, 'branch', '?search=branch%204999'))).toEqual(['branch 4999']);
    expect(valuesOf(await list(stage, 'branch', '?search=branch%205000'))).toEqual([]);
  });

  test('Using a term again within an hour writes nothing to the table', async () => {
    const stage = await service();
    const first = Date.now();
    const metered = { ...stage, services: { ...stage.services, table: stage.services.table.metered() } };
    await use(metered, 'main');
    const written = metered.services.table.meter.writeUnits;
    expect(written).toBeGreaterThan(0);
    for (const createdAt of [first, first + HOUR, first - HOUR]) await use(metered, 'main', createdAt);
    expect(metered.services.table.meter.writeUnits).toBe(written);
    await use(metered, 'main', first + HOUR + 1);
    expect(metered.services.table.meter.writeUnits).toBeGreaterThan(written);
  });

  test('A term that many runs use concurrently is stored once, with the time of its latest use', async () => {
    const stage = await service();
    const times = [3, 9, 1, 7, 5].map((hours) => Date.now() + hours * HOUR);
    await Promise.all(times.map((at) => use(stage, 'main', at)));
    const rows = await stage.services.table.queryAll(terms, getTermsSpan({ ...stage, termType: 'branch' }));
    expect(rows.map(({ lastUsedAt }) => lastUsedAt)).toEqual([Math.max(...times)]);
  });

  test('omits a term that no run has used for a year, until a run uses the term again', async () => {
    const stage = await service();
    await use(stage, 'main');
    clock.advance(366 * 24 * HOUR);
    expect(valuesOf(await list(stage, 'branch'))).toEqual([]);
    await use(stage, 'main');
    expect(valuesOf(await list(stage, 'branch'))).toEqual(['main']);
  });

  test('refuses an unknown type, and returns 404 for projects of other organizations', async () => {
    const stage = await service();
    const other = await stage.tenant('Neighbour');
    expect(await stage.reader.get(`/projects/${stage.projectId}/terms/colour`)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('`termType` must be one of tag, group, branch') },
    });
    expect(await stage.reader.get(`/projects/${other.projectId}/terms/branch`)).toMatchObject({
      status: 404,
      body: { error: 'Project not found' },
    });
  });
});
