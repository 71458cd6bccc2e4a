import { beforeEach, describe, expect, test } from 'vitest';
import { compileRuns } from '#test/harness/analytics.ts';
import { recordRun, startRun } from '#test/harness/recording.ts';
import {
  attempt,
  COMMIT,
  error,
  failed,
  flaky,
  passed,
  pending,
  suiteGroup,
} from '#test/harness/recording-messages.ts';
import { clock, START, service } from '#test/harness/service.ts';

type Stage = Awaited<ReturnType<typeof service>>;

const RANGE = 'date_start=2026-11-02&date_end=2026-11-03';
const SECRET = `ghp_${'a1B2'.repeat(9)}`;
const HOSTILE = '=HYPERLINK("http://x.example")';

const failedWith = (message: string) => failed({ attempts: [attempt('failed', { errors: [error(message)] })] });

/** Records two complete runs, the first of them on a feature branch, and starts a third run that stays in progress. */
async function stageWithRuns(): Promise<Stage> {
  const stage = await service();
  const record = (ciBuildId: string, branch: string, tests: Parameters<typeof recordRun>[1][string]['tests']) =>
    recordRun(
      stage,
      { retail: { tags: ['nightly'], environment: 'staging', tests } },
      { ciBuildId, commit: { ...COMMIT, branch } },
    );
  await record('one', 'feat/tax', { 'tax.spec.ts > rounds': passed(), [`cart.spec.ts > ${HOSTILE}`]: pending() });
  clock.advance(3_600_000);
  await record('two', 'main', {
    'tax.spec.ts > rounds': failedWith(`Error: no access with ${SECRET}`),
    'tax.spec.ts > adds': flaky(),
    [`cart.spec.ts > ${HOSTILE}`]: pending(),
  });
  await startRun(stage, [suiteGroup('wholesale', ['tax.spec.ts > rounds'])], {
    ciBuildId: 'three',
    group: 'wholesale',
  });
  await compileRuns(stage);
  return stage;
}

let recorded: Promise<Stage> | undefined;
let stage: Stage;
/** All tests share the recorded runs, because no test changes them. */
beforeEach(async () => {
  recorded ??= stageWithRuns();
  stage = await recorded;
  clock.set(START.getTime() + 3_600_000);
});

const get = async (path: string) => {
  const { status, body } = await stage.reader.get(path);
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'OK' } });
  return body.data;
};

describe('GET /tests/{projectId}', () => {
  const tests = (query = '') => get(`/tests/${stage.projectId}?${RANGE}${query}`);

  test('lists tests in pages, with their metrics over all runs in the date range', async () => {
    const { list, ...page } = await tests('&order=failures&limit=2');
    expect(page).toEqual({ total: 3, count: 3, nextPage: 1 });
    expect(list[0]).toMatchObject({
      title: 'rounds',
      titlePath: ['rounds'],
      spec: 'tax.spec.ts',
      signature: expect.stringMatching(/^\w{32}$/),
      lastSeen: '2026-11-02T11:00:00.000Z',
      metrics: { executions: 2, passes: 1, failures: 1, failureRate: 0.5, avgDurationMs: 100 },
    });
    const { list: rest, nextPage } = await tests('&order=failures&limit=2&page=1');
    expect([rest.length, nextPage]).toEqual([1, false]);
  });

  test('accepts date-times for the range, filters by branch, and reports changes since the preceding period', async () => {
    const half = 'date_start=2026-11-02T10:30:00Z&date_end=2026-11-02T11:30:00Z&order=failureRateDelta';
    const { list } = await get(`/tests/${stage.projectId}?${half}&title=ROUNDS`);
    expect(list).toMatchObject([{ metrics: { executions: 1, failureRateDelta: 1, durationDelta: 0 } }]);
    const onBranch = await tests('&branches[]=feat/*&spec=tax');
    expect(onBranch.list).toMatchObject([{ title: 'rounds', metrics: { executions: 1, failures: 0 } }]);
  });
});

test('GET /spec-files/{projectId} lists spec files with the metrics of their executions', async () => {
  const data = await get(`/spec-files/${stage.projectId}?${RANGE}&order=failedExecutions`);
  expect(data).toMatchObject({
    total: 2,
    nextPage: false,
    list: [
      {
        spec: 'tax.spec.ts',
        metrics: { overallExecutions: 2, failedExecutions: 1, flakyExecutions: 1, fullyReported: 2, suiteSize: 2 },
      },
      { spec: 'cart.spec.ts', metrics: { overallExecutions: 2, failedExecutions: 0, avgDuration: expect.any(Number) } },
    ],
  });
});

describe('GET /errors/{projectId}', () => {
  test('groups errors, counts them over time, and masks secrets', async () => {
    const data = await get(`/errors/${stage.projectId}?${RANGE}&group_by[]=message&order_by=error&dir=desc`);
    expect(data).toMatchObject({ total: 2, nextPage: false });
    expect(data.list[0]).toMatchObject({
      message: expect.stringContaining('[masked: '),
      count: 1,
      tests: 1,
      branches: 1,
    });
    expect(Object.keys(data.timeline)).toEqual([String(Date.UTC(2026, 10, 2))]);
    expect(JSON.stringify(data)).not.toContain(SECRET);
  });

  test('An error is found by a text that is copied from an answer, and its row leads to the latest execution', async () => {
    const { body } = await stage.reader.get(`/errors/${stage.projectId}?${RANGE}`);
    const latest = body.data.list[0].latest;
    const { data: context } = (
      await stage.reader.get(`/context?instance_id=${latest.instanceId}&test_id=${encodeURIComponent(latest.testId)}`)
    ).body;
    const copied = context.data?.error?.message ?? context.error.message;
    const found = await get(`/errors/${stage.projectId}?${RANGE}&error_message=${encodeURIComponent(copied)}`);
    expect(found.list.map((row: { latest: object }) => row.latest)).toContainEqual(latest);
    expect(latest.runId).toBe(latest.instanceId.slice(0, latest.runId.length));
  });

  test('A search for errors says how the text was compared, and why a number alone finds nothing', async () => {
    const search = (text: string) =>
      get(`/errors/${stage.projectId}?${RANGE}&error_message=${encodeURIComponent(text)}`);
    expect((await search('no access to "shop"')).note).toContain('"no access to <text>"');
    expect((await search('18.9')).note).toContain('this text alone finds nothing');
    expect(await search('no access')).not.toHaveProperty('note');
  });

  test('masks secrets in the CSV file of errors', async () => {
    const { body } = await stage.reader.get(`/errors/${stage.projectId}?${RANGE}&format=csv`);
    expect(body).toContain('[masked: ');
    expect(body).not.toContain(SECRET);
  });
});

describe('GET /projects/{projectId}/insights', () => {
  const insights = (query = '') => get(`/projects/${stage.projectId}/insights?${RANGE}${query}`);

  test('counts all runs including those in progress, but only the tests of ended runs', async () => {
    const data = await insights('&resolution=1h&tags[]=nightly&tags[]=weekly');
    expect(data).toMatchObject({
      projectId: stage.projectId,
      orgId: stage.organizationId,
      resolution: '1h',
      tags: ['nightly', 'weekly'],
      dateStart: '2026-11-02T00:00:00.000Z',
      dateEnd: '2026-11-03T00:00:00.000Z',
    });
    const { overall, timeline } = (await insights('&resolution=1h')).results;
    expect(overall).toMatchObject({
      runs: { total: 3, completed: 2, failed: 1, passed: 1 },
      tests: { total: 5, passed: 2, failed: 1, pending: 2, flaky: 1 },
    });
    expect(Object.keys(timeline)).toHaveLength(24);
    expect(timeline[Date.UTC(2026, 10, 2, 11)].runs.total).toBe(2);
  });

  test.each([
    ['groups[]=wholesale', 1, 0],
    ['groups[]=retail', 2, 2],
    ['environments[]=staging', 2, 2],
    ['tags[]=nightly', 2, 2],
    ['branches[]=feat/*', 1, 1],
    ['authors[]=nobody', 0, 0],
  ])('counts only the ended runs and the runs in progress that match %s', async (query, total, completed) => {
    const { results } = await insights(`&${query}`);
    expect(results.overall.runs).toMatchObject({ total, completed });
  });

  test('refuses hourly buckets for a range of two months, and suggests daily ones', async () => {
    const answer = await stage.reader.get(
      `/projects/${stage.projectId}/insights?date_start=2026-01-01&date_end=2026-03-01&resolution=1h`,
    );
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('resolution=1d') } });
  });
});

describe('Analytics endpoints', () => {
  const PATHS = ['/tests/{id}', '/spec-files/{id}', '/errors/{id}', '/projects/{id}/insights'];
  const ask = (path: string, query: string, projectId = stage.projectId) =>
    stage.reader.get(`${path.replace('{id}', projectId)}?${query}`);

  test.each(PATHS)('return a CSV file for `format=csv`: %s', async (path) => {
    const { status, headers, body } = await ask(path, `${RANGE}&format=csv`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="[\w-]+\.csv"$/);
    const lines = body.trimEnd().split('\r\n');
    expect(headers.get('x-total-count')).toBe(String(lines.length - 1));
    expect(new Set(lines.map((line: string) => line.split(',').length > 5))).toEqual(new Set([true]));
  });

  test('A CSV file of analytics contains all rows, and no title in it can run as a formula in a spreadsheet', async () => {
    const { body } = await ask('/tests/{id}', `${RANGE}&format=csv&limit=1&order=title&dir=asc`);
    expect(body.split('\r\n').map((line: string) => line.slice(0, 8))).toEqual([
      'title,sp',
      `"'=HYPER`,
      'adds,tax',
      'rounds,t',
      '',
    ]);
  });

  test.each(PATHS)(
    'refuse a range of more than 400 days, and return 404 for projects of other organizations: %s',
    async (path) => {
      const other = await stage.tenant('Neighbour');
      expect(await ask(path, 'date_start=2025-01-01&date_end=2026-11-03')).toMatchObject({ status: 400 });
      expect(await ask(path, RANGE, other.projectId)).toMatchObject({
        status: 404,
        body: { error: 'Project not found' },
      });
    },
  );
});
