import { describe, expect, test, vi } from 'vitest';
import { finishDeletions } from '#shared/lifecycle/delete-run.ts';
import { artifacts, getInstanceArtifactsSpan } from '#shared/model/results/artifact.ts';
import { sampled } from '#test/harness/cases.ts';
import { confirmed } from '#test/harness/downloads.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { claim, createRecord, idempotencyKey, recordRun, startRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { failed, flaky, passed, runBody, running, suiteGroup } from '#test/harness/recording-messages.ts';
import { historyOf } from '#test/harness/recording-readback.ts';
import { clock, deliverEvents, service } from '#test/harness/service.ts';
import { itemsWith } from '#test/harness/table-rows.ts';

deliverEvents();

const CART = 'cart.spec.ts > sums';
const TAX = 'tax.spec.ts > rounds';
const SUITE = [suiteGroup('retail', [CART, TAX])];
const ALL = { retail: { tests: { [CART]: failed(), [TAX]: flaky() } } };

type Stage = Awaited<ReturnType<typeof service>>;

/**
 * Merges analytics, and returns all rows that still mention the run, except its deletion mark, its audit record and the
 * outbox.
 */
async function rowsLeft(stage: Stage, runId: string): Promise<string[]> {
  await stage.runSchedule('mergeAnalytics');
  return (await itemsWith(stage.environment, runId))
    .map(({ pk, sk }) => `${pk} ${sk}`)
    .filter((key) => !/^RUN#\w+#\w+ DELETED$|^(OUTBOX|AUDIT)#/.test(key));
}

const remove = (stage: Stage, runId: string) => stage.api.send('DELETE', `/runs/${runId}`);

/** Runs the sweep a minute later, when no request that began before the deletion can still be in progress. */
async function aMinuteLater(stage: Stage) {
  clock.advance(61_000);
  return stage.runSchedule('finishDeletions');
}

/** Uploads a file of a test and returns its download URL. */
async function withFile(stage: Stage, recordId: string, instanceId: string): Promise<string> {
  const file = { type: 'attachment', name: 'a.txt', artifactId: 'a1', attemptId: 0, contentType: 'text/plain' };
  const { body } = await stage.api.post(`@/artifacts/test-record/${recordId}`, file);
  expect((await fetch(body.uploadUrl, { method: 'PUT', body: 'seen' })).status).toBe(200);
  const read = (await stage.api.get(`/instances/${instanceId}`)).body.data;
  const link: string = read.results.attachments[0].readUrl;
  expect(await (await confirmed(link)).text()).toBe('seen');
  return link;
}

describe('§4.4.3 DELETE /runs/{runId}', () => {
  test('A DELETE request deletes the run with its rows, files and history, and the run is no longer found or listed', async () => {
    const stage = await service();
    // Uses the real clock, because the object store checks presigned URLs against the real time.
    vi.useRealTimers();
    const { runId, instances, records } = await recordRun(stage, ALL, {
      ci: { params: { githubRunId: '812', githubRunAttempt: '1' } },
    });
    const instanceId = instances['retail cart.spec.ts'] ?? '';
    const link = await withFile(stage, records[`retail ${CART}`] ?? '', instanceId);
    expect((await fetch(link)).status).toBe(200);
    const answer = await remove(stage, runId);
    expect(answer).toMatchObject({ status: 200, body: { status: 'OK', data: { runId, actor: 'api:CI' } } });
    expect((await stage.api.get(`/runs/${runId}`)).status).toBe(404);
    expect((await stage.api.get(`/instances/${instanceId}`)).status).toBe(404);
    expect((await stage.api.get(`/context?run_id=${runId}`)).status).toBe(404);
    expect((await stage.api.get(`/projects/${stage.projectId}/runs`)).body.data).toEqual([]);
    for (const [spec, title] of [['cart.spec.ts', 'sums'] as const, ['tax.spec.ts', 'rounds'] as const]) {
      expect(await historyOf(stage, { spec, title: [title] })).toEqual([]);
    }
    expect((await fetch(link)).status).toBe(404);
    expect((await stage.api.put('/runs/cancel-ci/github', { githubRunId: 812, githubRunAttempt: 1 })).status).toBe(404);
    await aMinuteLater(stage);
    expect(await rowsLeft(stage, runId)).toEqual([]);
  });

  test('A DELETE request deletes a batch upload, and no other run with the same tests', async () => {
    const stage = await service();
    const tests = { [CART]: passed() };
    const bodies = ['one', 'other'].map((ciBuildId) =>
      upload(stage, [suiteGroup('retail', [CART])], [batchInstance('retail', 'cart.spec.ts', tests)], { ciBuildId }),
    );
    const [one, other] = await Promise.all(bodies);
    await remove(stage, one.runId);
    const history = await historyOf(stage, { spec: 'cart.spec.ts', title: ['sums'] });
    expect(history.map(({ runId }: { runId: string }) => runId)).toEqual([other.runId]);
    await aMinuteLater(stage);
    expect(await rowsLeft(stage, one.runId)).toEqual([]);
    expect((await stage.api.get(`/runs/${other.runId}`)).status).toBe(200);
  });

  test('A DELETE request returns 404 for a deleted run, and for the second of two concurrent requests', async () => {
    const stage = await service();
    const { runId } = await recordRun(stage, ALL);
    const answers = await Promise.all([remove(stage, runId), remove(stage, runId)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect((await remove(stage, runId)).status).toBe(404);
  });
});

describe('§4.4.3 Machines of a deleted run', () => {
  test('Machines of a deleted run cannot restore the run, but may record its build again after a day', async () => {
    const stage = await service();
    const run = await startRun(stage, SUITE);
    const claimed = await claim(stage, run, 'cart.spec.ts');
    const recordId = await createRecord(stage, claimed, CART, running());
    await remove(stage, run.runId);
    const update = () => stage.api.put(`@/test-record/${recordId}`, { _t: 5, ...passed() }, idempotencyKey());
    const join = () => stage.api.post('@/runs/v1', runBody(stage.projectId, SUITE), idempotencyKey());
    for (let pass = 0; pass < 2; pass += 1) {
      expect(await join()).toMatchObject({ status: 422, body: { code: 'RUN_EXPIRED' } });
      const take = { groupId: 'retail', spec: 'tax.spec.ts' };
      expect((await stage.api.post(`@/runs/${run.runId}/pw/instances/v1`, take)).status).toBe(404);
      // This result arrives after the deletion and before the sweep, so the sweep must delete this result.
      await update();
      await aMinuteLater(stage);
    }
    expect((await update()).status).toBe(404);
    expect(await rowsLeft(stage, run.runId)).toEqual([]);
    clock.advance(25 * 3_600_000);
    expect(await join()).toMatchObject({ status: 200, body: { runId: run.runId, isNewRun: true } });
  });

  test('Machines that report during the deletion of a run leave no row behind', async () => {
    const stage = await service();
    const run = await startRun(stage, SUITE);
    const claimed = await claim(stage, run, 'cart.spec.ts');
    const recordId = await createRecord(stage, claimed, CART, running());
    const reports = Array.from({ length: 8 }, (_, index) =>
      stage.api.put(`@/test-record/${recordId}`, { _t: index + 1, ...failed() }, idempotencyKey()),
    );
    await Promise.all([...reports, remove(stage, run.runId)]);
    await aMinuteLater(stage);
    expect(await rowsLeft(stage, run.runId)).toEqual([]);
    expect(await historyOf(stage, { spec: 'cart.spec.ts', title: ['sums'] })).toEqual([]);
  });
});

describe('A deletion', () => {
  test.each(sampled([0, 1, 2, 3, 4, 5], 2))(
    'is finished by the next sweep if the first sweep is interrupted after %i writes',
    async (writes) => {
      const stage = await service();
      const { runId, instances } = await recordRun(stage, ALL);
      const time = { remainingMilliseconds: () => 60_000 };
      await remove(stage, runId);
      clock.advance(61_000);
      await finishDeletions(dyingAfter(stage.services, writes), time);
      await finishDeletions(stage.services, time);
      expect(await rowsLeft(stage, runId)).toEqual([]);
      const instanceId = instances['retail cart.spec.ts'] ?? '';
      const { organizationId } = stage;
      expect(
        await stage.services.table.queryAll(artifacts, getInstanceArtifactsSpan({ organizationId, instanceId })),
      ).toEqual([]);
    },
  );

  test('is continued by the next sweep if a sweep runs out of time', async () => {
    const stage = await service();
    const { runId } = await recordRun(stage, ALL);
    await remove(stage, runId);
    clock.advance(61_000);
    const report = await finishDeletions(stage.services, { remainingMilliseconds: () => 11_000 });
    expect(report.failed).toBe(0);
    await aMinuteLater(stage);
    expect(await rowsLeft(stage, runId)).toEqual([]);
  });
});
