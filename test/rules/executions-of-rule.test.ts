import { describe, expect, test } from 'vitest';
import { claim, createRecord, recordRun, startRun, updateRecord } from '#test/harness/recording.ts';
import { batchInstance, upload, uploadRun } from '#test/harness/recording-batch.ts';
import { failed, passed, pending, suiteGroup } from '#test/harness/recording-messages.ts';
import { marksOf } from '#test/harness/rule-marks.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';

const PAYS = 'pay.spec.ts > pays';
const RULE = {
  name: 'Cards',
  action: [{ op: 'quarantine' }],
  matcher: { op: 'AND', cond: [{ type: 'title', op: 'eq', value: 'pays' }] },
};
const RANGE = 'date_start=2026-11-01&date_end=2026-11-30';

const create = async ({ api, projectId }: Tenant): Promise<string> =>
  (await api.post(`/actions?projectId=${projectId}`, RULE)).body.data.actionId;
const list = async ({ reader }: Tenant, actionId: string, more = '') =>
  (await reader.get(`/actions/${actionId}/tests?${RANGE}${more}`)).body;
const runsOf = async (tenant: Tenant, actionId: string): Promise<string[]> =>
  (await list(tenant, actionId)).data.map(({ runId }: { runId: string }) => runId);
const by = (...actionIds: readonly string[]) => ({
  annotations: marksOf(...actionIds.map((actionId) => ({ actionId, type: 'quarantine' as const }))),
});

describe('GET /actions/{actionId}/tests', () => {
  test('lists the executions that the rule matched, newest first, without gaps or duplicates between pages', async () => {
    const stage = await service();
    const actionId = await create(stage);
    const made: string[] = [];
    for (const ciBuildId of ['one', 'two', 'three', 'four', 'five']) {
      const state = ciBuildId === 'three' ? passed() : passed(by(actionId));
      const { runId } = await uploadRun(stage, { [PAYS]: state }, { ciBuildId });
      if (ciBuildId !== 'three') made.unshift(runId);
      clock.advance(1000);
    }
    const first = await list(stage, actionId, '&limit=2');
    expect(first).toMatchObject({
      has_more: true,
      data: made.slice(0, 2).map((runId) => ({ runId, status: 'passed' })),
    });
    const rest = await list(stage, actionId, `&limit=2&starting_after=${first.data[1].cursor}`);
    expect(rest).toMatchObject({ has_more: false, data: made.slice(2).map((runId) => ({ runId })) });
    const newer = await list(stage, actionId, `&limit=2&ending_before=${rest.data[0].cursor}`);
    expect(newer.data).toEqual(first.data);
    expect((await list(stage, actionId, '&search=MAIN')).data).toHaveLength(4);
    expect((await list(stage, actionId, '&search=trunk')).data).toEqual([]);
  });

  test('reflects corrections: the latest result of a test determines which rules matched the test', async () => {
    const stage = await service();
    const rule = await create(stage);
    const other = await create(stage);
    const run = await startRun(stage, [suiteGroup('retail', [PAYS])]);
    const recordId = await createRecord(stage, await claim(stage, run, 'pay.spec.ts'), PAYS, pending(by(rule)));
    expect([await runsOf(stage, rule), await runsOf(stage, other)]).toEqual([[run.runId], []]);
    await updateRecord(stage, recordId, failed(by(other)), 1);
    expect([await runsOf(stage, rule), await runsOf(stage, other)]).toEqual([[], [run.runId]]);
    await updateRecord(stage, recordId, passed(), 2);
    expect([await runsOf(stage, rule), await runsOf(stage, other)]).toEqual([[], []]);
  });

  test('reflects repeated uploads of a test: the latest upload determines which rules matched the test', async () => {
    const stage = await service();
    const rule = await create(stage);
    const other = await create(stage);
    const suite = [suiteGroup('retail', [PAYS])];
    for (const [state, expected] of [
      [passed(by(rule)), [1, 0]],
      [passed(by(rule)), [1, 0]],
      [failed(by(rule, other)), [1, 1]],
      [passed(by(other)), [0, 1]],
      [passed(), [0, 0]],
    ] as const) {
      await upload(stage, suite, [batchInstance('retail', 'pay.spec.ts', { [PAYS]: state })]);
      expect([(await runsOf(stage, rule)).length, (await runsOf(stage, other)).length]).toEqual(expected);
    }
  });

  test('omits the executions of a deleted run', async () => {
    const stage = await service();
    const actionId = await create(stage);
    const streamed = await recordRun(
      stage,
      { retail: { tests: { [PAYS]: passed(by(actionId)) } } },
      { ciBuildId: 'a' },
    );
    const sent = [batchInstance('retail', 'pay.spec.ts', { [PAYS]: failed(by(actionId)) })];
    const uploaded = await upload(stage, [suiteGroup('retail', [PAYS])], sent, { ciBuildId: 'b' });
    expect((await runsOf(stage, actionId)).sort()).toEqual([streamed.runId, uploaded.runId].sort());
    for (const { runId } of [streamed, uploaded]) await stage.api.send('DELETE', `/runs/${runId}`);
    expect(await runsOf(stage, actionId)).toEqual([]);
  });

  test('lists no executions of another organization, even if their annotations name the rule, and malformed annotations do not prevent an upload', async () => {
    const stage = await service();
    const neighbour = await stage.tenant('Neighbour');
    const foreign = await create(neighbour);
    const odd = [
      { type: '_currents:action:match', description: '{"rule":' },
      { type: '_currents:action:match', description: JSON.stringify({ rule: { id: '#', type: 'skip' } }) },
      { type: '_currents:action:match' },
    ];
    const state = passed({ annotations: [...by(foreign).annotations, ...odd] });
    await uploadRun(stage, { [PAYS]: state });
    expect((await list(neighbour, foreign)).data).toEqual([]);
    expect((await list(stage, foreign)).error).toBe('Action not found');
  });
});
