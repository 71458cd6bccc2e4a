/**
 * §4.4.10 Runs expire after the retention time that their project had when they began. The API shows nothing of an
 * expired run.
 */
import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import type { RetentionChange } from '#shared/organizations/retention-inputs.ts';
import { claim, createRecord, idempotencyKey, recordRun, startRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { failed, flaky, passed, runBody, running, suiteGroup } from '#test/harness/recording-messages.ts';
import { historyOf } from '#test/harness/recording-readback.ts';
import { clock, START, service } from '#test/harness/service.ts';

const CART = 'cart.spec.ts > sums';
const TAX = 'tax.spec.ts > rounds';
const SUITE = [suiteGroup('retail', [CART, TAX])];
const ALL = { retail: { tests: { [CART]: failed(), [TAX]: flaky() } } };
const GITHUB = { ci: { params: { githubRunId: '812', githubRunAttempt: '1' } } };
const DAY = 24 * 3_600_000;

type Stage = Awaited<ReturnType<typeof service>>;

async function keeping(retention: RetentionChange): Promise<Stage> {
  const stage = await service();
  await change(stage, retention);
  return stage;
}

const change = ({ services, organizationId, projectId }: Stage, retention: RetentionChange) =>
  changeProjectSettings(services, { organizationId, projectId, actor: OPERATOR, settings: { retention } });

/** Returns what the API shows of the run: the HTTP status of each resource, and the length of each list. */
async function seen({ api, projectId, ...stage }: Stage, runId: string, instanceId: string) {
  const status = async (path: string) => (await api.get(path)).status;
  const found = `/runs/find?projectId=${projectId}&ciBuildId=build-1`;
  const history = await historyOf({ api, projectId, ...stage }, { spec: 'cart.spec.ts', title: ['sums'] });
  return {
    run: await status(`/runs/${runId}`),
    found: await status(found),
    latest: await status(`/runs/find?projectId=${projectId}&branch=main`),
    instance: await status(`/instances/${instanceId}`),
    context: await status(`/context?run_id=${runId}`),
    ofInstance: await status(`/context?run_id=${runId}&instance_id=${instanceId}`),
    listed: (await api.get(`/projects/${projectId}/runs`)).body.data.length,
    history: history.length,
  };
}

const ALIVE = {
  run: 200,
  found: 200,
  latest: 200,
  instance: 200,
  context: 200,
  ofInstance: 200,
  listed: 1,
  history: 1,
};
const GONE = {
  run: 404,
  found: 404,
  latest: 404,
  instance: 404,
  context: 404,
  ofInstance: 404,
  listed: 0,
  history: 0,
};

describe('A run', () => {
  const streamed = async (stage: Stage) => {
    const { runId, instances } = await recordRun(stage, ALL, GITHUB);
    return { runId, instanceId: instances['retail cart.spec.ts'] ?? '' };
  };
  const uploaded = async (stage: Stage) => {
    const sent = [
      batchInstance('retail', 'cart.spec.ts', { [CART]: failed() }),
      batchInstance('retail', 'tax.spec.ts', { [TAX]: passed() }),
    ];
    const { runId } = await upload(stage, SUITE, sent);
    const { specs } = (await stage.api.get(`/runs/${runId}`)).body.data;
    return { runId, instanceId: specs.find(({ spec }: { spec: string }) => spec === 'cart.spec.ts').instanceId };
  };

  test.each([
    ['that was streamed', streamed],
    ['that was uploaded', uploaded],
  ])(
    'A run %s is found, listed and shown until the millisecond before its retention ends, and not afterwards',
    async (_, record) => {
      const stage = await keeping({ resultsDays: 3, evidenceDays: 3, filesDays: 3 });
      const { runId, instanceId } = await record(stage);
      clock.set(START.getTime() + 3 * DAY - 1);
      expect(await seen(stage, runId, instanceId)).toEqual(ALIVE);
      clock.advance(1);
      expect(await seen(stage, runId, instanceId)).toEqual(GONE);
      for (const method of ['PUT', 'DELETE'] as const) {
        const path = method === 'PUT' ? `/runs/${runId}/cancel` : `/runs/${runId}`;
        expect((await stage.api.send(method, path)).status).toBe(404);
      }
    },
  );

  test('is still shown after 50 years if its project keeps results forever', async () => {
    const stage = await keeping({ resultsDays: null, evidenceDays: null, filesDays: null });
    const { runId, instanceId } = await streamed(stage);
    clock.advance(50 * 365 * DAY);
    expect(await seen(stage, runId, instanceId)).toEqual(ALIVE);
  });

  test('keeps the retention with which it started, even if the retention of the project changes later', async () => {
    const stage = await keeping({ resultsDays: 3, evidenceDays: 'default', filesDays: 'default' });
    const { runId, instanceId } = await streamed(stage);
    await change(stage, { resultsDays: 30 });
    const later = await recordRun(stage, ALL, { ciBuildId: 'build-2' });
    clock.advance(3 * DAY);
    expect((await stage.api.get(`/runs/${runId}`)).status).toBe(404);
    expect((await stage.api.get(`/instances/${instanceId}`)).status).toBe(404);
    expect((await stage.api.get(`/runs/${later.runId}`)).status).toBe(200);
    const { body } = await stage.api.get(`/projects/${stage.projectId}/runs`);
    expect(body.data.map((run: { runId: string }) => run.runId)).toEqual([later.runId]);
    const history = await historyOf(stage, { spec: 'cart.spec.ts', title: ['sums'] });
    expect(history.map((result: { runId: string }) => result.runId)).toEqual([later.runId]);
  });

  test('A run whose build is recorded again after its retention ended shows nothing of the expired run', async () => {
    const stage = await keeping({ resultsDays: 3, evidenceDays: 3, filesDays: 3 });
    const { runId, instanceId } = await streamed(stage);
    clock.advance(3 * DAY);
    const again = await recordRun(stage, { retail: { tests: { [CART]: passed(), [TAX]: passed() } } }, GITHUB);
    expect(again.runId).toBe(runId);
    const run = (await stage.api.get(`/runs/${runId}`)).body.data;
    expect(run).toMatchObject({ status: 'PASSED', completionState: 'COMPLETE' });
    expect(run.specs.map(({ results }: { results: { stats: object } }) => results.stats)).toMatchObject([
      { tests: 1, passes: 1, failures: 0 },
      { tests: 1, passes: 1, failures: 0 },
    ]);
    expect((await stage.api.get(`/context?run_id=${runId}`)).body.data.totalFailedTests).toBe(0);
    const [test] = (await stage.api.get(`/instances/${instanceId}`)).body.data.results.tests;
    expect(test).toMatchObject({ state: 'passed' });
    expect(await historyOf(stage, { spec: 'cart.spec.ts', title: ['sums'] })).toHaveLength(1);
    clock.advance(3 * DAY);
    expect(await seen(stage, runId, instanceId)).toEqual(GONE);
  });

  test('A run in progress disappears when its retention ends: its machines get 404, and their results do not restore the run', async () => {
    const stage = await keeping({ resultsDays: 1, evidenceDays: 1, filesDays: 1 });
    const run = await startRun(stage, SUITE);
    const claimed = await claim(stage, run, 'cart.spec.ts');
    const recordId = await createRecord(stage, claimed, CART, running());
    clock.advance(DAY);
    const update = await stage.api.put(`@/test-record/${recordId}`, { _t: 5, ...failed() }, idempotencyKey());
    expect(update.status).toBe(404);
    const take = { groupId: 'retail', spec: 'tax.spec.ts' };
    expect((await stage.api.post(`@/runs/${run.runId}/pw/instances/v1`, take)).status).toBe(404);
    await stage.runSchedule('timeOutRuns');
    expect(await seen(stage, run.runId, claimed.instanceId)).toEqual(GONE);
    const anew = await stage.api.post('@/runs/v1', runBody(stage.projectId, SUITE), idempotencyKey());
    expect(anew).toMatchObject({ status: 200, body: { runId: run.runId, isNewRun: true } });
  });

  test('A result that arrives late expires with the other results of its run', async () => {
    const stage = await keeping({ resultsDays: 3, evidenceDays: 3, filesDays: 3 });
    const { runId, records, instances } = await recordRun(stage, ALL);
    clock.set(START.getTime() + 3 * DAY - 1000);
    const recordId = records[`retail ${CART}`] ?? '';
    const late = await stage.api.put(`@/test-record/${recordId}`, { _t: 9, ...flaky() }, idempotencyKey());
    expect(late.status).toBe(200);
    clock.advance(1000);
    expect(await seen(stage, runId, instances['retail cart.spec.ts'] ?? '')).toEqual(GONE);
  });
});
