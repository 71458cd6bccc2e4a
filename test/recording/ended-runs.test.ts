import { describe, expect, test } from 'vitest';
import { runs } from '#shared/model/runs/run.ts';
import { createRecord, firstMessage, idempotencyKey, startRun, updateRecord } from '#test/harness/recording.ts';
import { sendUpload, uploadBody } from '#test/harness/recording-batch.ts';
import { attempt, passed, runBody, running, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, START, service } from '#test/harness/service.ts';
import { claimedRun, DONE, NEW, OPEN, operations, refusal, type Setting, SUITE } from './operations.ts';

const cancel = async ({ api }: Setting, runId: string) =>
  expect(await api.put(`/runs/${runId}/cancel`)).toMatchObject({ status: 200 });

describe('Missing suites:', () => {
  test.each([[null], [undefined], [[]]])(
    'The error MISSING_SUITE is returned for a new run whose suite is %j',
    async (fullTestSuite) => {
      const setting = await service();
      const body = runBody(setting.projectId, SUITE, { fullTestSuite });
      expect(await setting.api.post('@/runs/v1', body)).toMatchObject(refusal('MISSING_SUITE'));
      const upload = uploadBody(setting, [], [], { fullTestSuite });
      expect(await sendUpload(setting, upload)).toMatchObject(refusal('MISSING_SUITE'));
    },
  );

  test('The error MISSING_SUITE is returned for a claim of a spec file or group that the run does not know', async () => {
    const setting = await service();
    const { runId } = await startRun(setting, SUITE);
    for (const body of [
      { groupId: 'retail', spec: 'unknown.spec.ts' },
      { groupId: 'nobody', spec: 'cart.spec.ts' },
    ]) {
      const answer = await setting.api.post(`@/runs/${runId}/pw/instances/v1`, body);
      expect(answer).toMatchObject(refusal('MISSING_SUITE'));
    }
  });

  test('The error MISSING_SUITE is not returned for later requests of a batch upload, which may omit the suite and instances', async () => {
    const setting = await service();
    const bodies = [uploadBody(setting, SUITE, []), uploadBody(setting, [], []), uploadBody(setting, [], [])];
    for (const body of bodies)
      expect(await sendUpload(setting, { ...body, group: 'retail' })).toMatchObject({ status: 200 });
  });
});

describe('A cancelled run', () => {
  test('refuses a new machine, a new claim and a new test with RUN_CANCELLED', async () => {
    const setting = await service();
    const claimed = await claimedRun(setting);
    clock.advance(60_000);
    await cancel(setting, claimed.runId);
    clock.advance(60_000);
    const join = runBody(setting.projectId, SUITE);
    const started = { attempts: [attempt('skipped', { startTime: new Date().toISOString() })] };
    const { claim: take } = operations(setting, claimed);
    expect(await setting.api.post('@/runs/v1', join, idempotencyKey())).toMatchObject(refusal('RUN_CANCELLED'));
    expect(await take(setting.api)).toMatchObject(refusal('RUN_CANCELLED'));
    const message = firstMessage(claimed, NEW, running(started));
    expect(await setting.api.post('@/test-record', message)).toMatchObject(refusal('RUN_CANCELLED'));
    expect(await sendUpload(setting, uploadBody(setting, SUITE, []))).toMatchObject(refusal('RUN_CANCELLED'));
  });

  test('accepts and counts the results of tests that began before the cancellation, and stays cancelled', async () => {
    const setting = await service();
    const claimed = await claimedRun(setting);
    const recordId = await createRecord(setting, claimed, OPEN, running());
    clock.advance(60_000);
    await cancel(setting, claimed.runId);
    clock.advance(60_000);
    await updateRecord(setting, recordId, running(), 1);
    await updateRecord(setting, recordId, passed(), 2);
    // Two tests that began before the cancellation, but report for the first time after it. The first one is still
    // running, and the second one has passed.
    const before = { attempts: [attempt('passed', { startTime: START.toISOString() })] };
    await createRecord(setting, claimed, NEW, running(before));
    await createRecord(setting, claimed, DONE, passed());
    const { status, completionState, groups, cancellation } = await read(setting.api, `/runs/${claimed.runId}`);
    expect({ status, completionState, cancellation, tests: groups[0].tests }).toMatchObject({
      status: 'PASSED',
      completionState: 'CANCELED',
      cancellation: { actor: 'api:CI' },
      tests: { overall: 2, passes: 2 },
    });
  });

  test('accepts files of its tests and of its spec files', async () => {
    const setting = await service();
    const claimed = await claimedRun(setting);
    const recordId = await createRecord(setting, claimed, OPEN, running());
    await cancel(setting, claimed.runId);
    const file = { name: 'a.txt', artifactId: 'a', contentType: 'text/plain', type: 'attachment', attemptId: 0 };
    expect(await setting.api.post(`@/artifacts/test-record/${recordId}`, file)).toMatchObject({ status: 200 });
    expect(await operations(setting, claimed)['announce a file of a spec file'](setting.api)).toMatchObject({
      status: 200,
    });
  });
});

describe('A run that has ended', () => {
  test.each(['COMPLETE', 'TIMEOUT'])(
    'A run in state %s refuses a new machine and a new claim with RUN_EXPIRED',
    async (state) => {
      const setting = await service();
      const claimed = await claimedRun(setting);
      const { organizationId } = setting;
      const { runId } = claimed;
      await setting.services.table.update(runs, { organizationId, runId }, { set: [['completionState', state]] });
      const join = runBody(setting.projectId, SUITE);
      expect(await setting.api.post('@/runs/v1', join, idempotencyKey())).toMatchObject(refusal('RUN_EXPIRED'));
      expect(await operations(setting, claimed).claim(setting.api)).toMatchObject(refusal('RUN_EXPIRED'));
      expect(await sendUpload(setting, uploadBody(setting, SUITE, []))).toMatchObject(refusal('RUN_EXPIRED'));
    },
  );

  test('gives a repeated request the same answer as before the end', async () => {
    const setting = await service();
    const suite = [suiteGroup('retail', [DONE])];
    const send = [
      () => setting.api.post('@/runs/v1', runBody(setting.projectId, suite), idempotencyKey('start')),
      (runId: string) =>
        setting.api.post(
          `@/runs/${runId}/pw/instances/v1`,
          { groupId: 'retail', spec: 'cart.spec.ts' },
          idempotencyKey('claim'),
        ),
    ] as const;
    const started = await send[0]();
    const { runId } = started.body;
    const claimed = await send[1](runId);
    await createRecord(setting, { runId, groupId: 'retail', spec: 'cart.spec.ts', ...claimed.body }, DONE, passed());
    expect((await read(setting.api, `/runs/${runId}`)).completionState).toBe('COMPLETE');
    expect((await send[0]()).body).toEqual(started.body);
    expect((await send[1](runId)).body).toEqual(claimed.body);
  });
});
