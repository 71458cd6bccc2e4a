import { describe, expect, test } from 'vitest';
import { compileRuns, seriesOf } from '#test/harness/analytics.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { passed, pending } from '#test/harness/recording-messages.ts';
import { marksOf } from '#test/harness/rule-marks.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';

const PAYS = 'pay.spec.ts > pays';
const REFUNDS = 'pay.spec.ts > refunds';
const MATCHER = { op: 'AND', cond: [{ type: 'title', op: 'eq', value: 'pays' }] };
const RANGE = 'date_start=2026-11-01&date_end=2026-11-30';

type Stage = Awaited<ReturnType<typeof service>>;

const create = async ({ api, projectId }: Tenant, op: string, name = op): Promise<string> => {
  const action = [op === 'tag' ? { op, details: { tags: ['known'] } } : { op }];
  return (await api.post(`/actions?projectId=${projectId}`, { name, action, matcher: MATCHER })).body.data.actionId;
};

const quarantined = (actionId: string) =>
  pending({ annotations: marksOf({ actionId, type: 'quarantine', applied: true }) });
const matchedOnly = (actionId: string, type: 'quarantine' | 'tag' = 'quarantine') =>
  passed({ annotations: marksOf({ actionId, type }) });

/**
 * Records two runs, one hour apart. In the first run, one test is quarantined, and a tag rule matches the other test,
 * which passes. In the second run, both tests pass, and the quarantine matches the first test without being applied.
 */
async function history(stage: Stage) {
  const quarantine = await create(stage, 'quarantine', 'Cards');
  const tag = await create(stage, 'tag', 'Payments');
  const first = await uploadRun(
    stage,
    { [PAYS]: quarantined(quarantine), [REFUNDS]: matchedOnly(tag, 'tag') },
    { ciBuildId: 'first' },
  );
  clock.advance(3_600_000);
  const second = await uploadRun(
    stage,
    { [PAYS]: matchedOnly(quarantine), [REFUNDS]: passed() },
    { ciBuildId: 'second' },
  );
  await compileRuns(stage);
  return { quarantine, tag, first, second };
}

let shared: Promise<Stage & Awaited<ReturnType<typeof history>>> | undefined;
/** The history that all read-only tests share. */
const sharedHistory = () => (shared ??= service().then(async (stage) => ({ ...stage, ...(await history(stage)) })));

const affected = async ({ reader, projectId }: Tenant, more = '') =>
  (await reader.get(`/actions/tests?projectId=${projectId}&${RANGE}${more}`)).body.data;

describe('GET /actions/tests', () => {
  test('counts the executions of tests that rules matched, lists their rules, and sorts the tests by latest execution', async () => {
    const stage = await sharedHistory();
    const { quarantine, tag } = stage;
    const page = await affected(stage);
    const rowOf = (title: string, id: string, type: string, name: string) => ({
      signature: expect.stringMatching(/^[0-9a-f]{32}$/),
      spec: 'pay.spec.ts',
      title: [title],
      actions: [{ actionId: id, name, type }],
      lastSeen: expect.any(String),
    });
    expect(page).toEqual({
      list: [
        { ...rowOf('pays', quarantine, 'quarantine', 'Cards'), executions: 2, passes: 1, failures: 0, ignored: 1 },
        { ...rowOf('refunds', tag, 'tag', 'Payments'), executions: 1, passes: 1, failures: 0, ignored: 0 },
      ],
      total: 2,
      nextPage: false,
    });
    const second = await affected(stage, '&limit=1&page=1');
    expect(second).toEqual({ list: [page.list[1]], total: 2, nextPage: false });
    expect((await affected(stage, '&dir=asc')).list).toEqual(page.list.toReversed());
  });

  test('filters by type, rule, status and text', async () => {
    const stage = await service();
    const { quarantine, tag } = await history(stage);
    await stage.api.send('PUT', `/actions/${tag}/disable`);
    const titles = async (more: string) =>
      (await affected(stage, more)).list.map(({ title }: { title: readonly string[] }) => title.join());
    expect(await titles('&action_type=tag')).toEqual(['refunds']);
    expect(await titles('&action_type=tag&action_type=quarantine')).toEqual(['pays', 'refunds']);
    expect(await titles(`&action_id=${quarantine}`)).toEqual(['pays']);
    expect(await titles('&status=disabled')).toEqual(['refunds']);
    expect(await titles('&status[]=archived')).toEqual([]);
    expect(await titles('&search=PAY.SPEC')).toEqual(['pays', 'refunds']);
    expect(await titles('&search=nothing')).toEqual([]);
  });

  test('A test has a single analytics series, even if the annotation of a rule has a different time in each execution', async () => {
    const stage = await service();
    const actionId = await create(stage, 'quarantine');
    for (const ciBuildId of ['one', 'two', 'three'])
      await uploadRun(stage, { [PAYS]: matchedOnly(actionId) }, { ciBuildId });
    await compileRuns(stage);
    const series = await seriesOf(stage);
    expect(series.map(({ totals, annotations }) => [totals.executions.passed, annotations])).toEqual([
      [3, [{ type: '_currents:action:match', description: `quarantine ${actionId}` }]],
    ]);
  });

  test('shows no executions of another organization, even if their annotations name the same rule', async () => {
    const stage = await sharedHistory();
    const { quarantine } = stage;
    const neighbour = { ...stage, ...(await stage.tenant('Neighbour')) };
    await uploadRun(neighbour, { [PAYS]: matchedOnly(quarantine) });
    await compileRuns(neighbour);
    expect((await affected(neighbour)).list).toMatchObject([{ actions: [{ actionId: quarantine, name: null }] }]);
    expect((await neighbour.reader.get(`/actions/${quarantine}/tests?${RANGE}`)).status).toBe(404);
    expect((await stage.reader.get(`/actions/${quarantine}/tests?${RANGE}`)).body.data).toHaveLength(2);
  });
});

describe('GET /actions/tests/{signature}', () => {
  test('lists the executions of a test that rules matched, and no other executions', async () => {
    const stage = await sharedHistory();
    const { tag, first } = stage;
    const [, { signature }] = (await affected(stage)).list;
    const path = `/actions/tests/${signature}?projectId=${stage.projectId}&${RANGE}`;
    expect((await stage.reader.get(path)).body).toEqual({
      status: 'OK',
      has_more: false,
      data: [
        {
          signature,
          spec: 'pay.spec.ts',
          title: ['refunds'],
          branch: 'main',
          groupId: 'retail',
          runId: first.runId,
          instanceId: first.instances['retail pay.spec.ts'],
          testId: expect.any(String),
          createdAt: '2026-11-02T10:00:00.000Z',
          status: 'passed',
          flaky: false,
          actions: [{ actionId: tag, type: 'tag' }],
          cursor: expect.any(String),
        },
      ],
    });
    expect((await stage.reader.get(`${path}&search=other`)).body.data).toEqual([]);
  });
});
