import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { eventsOfRun } from '#test/harness/events.ts';
import { token } from '#test/harness/people.ts';
import { createRecord, recordRun, startRun, updateRecord } from '#test/harness/recording.ts';
import { sendUpload, uploadBody } from '#test/harness/recording-batch.ts';
import { failed, passed, running, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, START, service } from '#test/harness/service.ts';
import { claimedRun, OPEN, SUITE } from '#test/recording/operations.ts';

const CART = 'cart.spec.ts > cart > sums';
const TAX = 'tax.spec.ts > tax > rounds';
const terminal = ['RUN_FINISH', 'RUN_CANCELED', 'RUN_TIMEOUT'];

describe('§4.4.3 PUT /runs/{runId}/cancel', () => {
  test('A cancellation ends a run in progress, stops counting its duration, and records which API key cancelled it', async () => {
    const stage = await service();
    const { runId } = await startRun(stage, SUITE);
    clock.advance(60_000);
    const answer = await stage.api.send('PUT', `/runs/${runId}/cancel`, '', {
      headers: { 'content-type': 'application/json' },
    });
    const cancellation = { actor: 'api:CI', reason: 'apiRequest', canceledAt: '2026-11-02T10:01:00.000Z' };
    expect(answer).toMatchObject({ status: 200, body: { status: 'OK', data: { runId, ...cancellation } } });
    const run = await read(stage.api, `/runs/${runId}`);
    expect(run).toMatchObject({ status: 'FAILED', completionState: 'CANCELED', cancellation });
    clock.advance(3_600_000);
    expect((await read(stage.api, `/runs/${runId}`)).durationMs).toBe(60_000);
  });

  test('A cancellation names the person whose personal token cancelled the run', async () => {
    const stage = await service();
    const { runId } = await startRun(stage, SUITE);
    const person = await token(stage, { permissions: ['results:read', 'runs:write'] });
    const { status, body } = await person.api.put(`/runs/${runId}/cancel`);
    expect({ status, actor: body.data.actor }).toEqual({ status: 200, actor: `user:${person.owner.accountId}` });
  });

  test('A cancellation is refused with 422 if the run was already cancelled or has ended', async () => {
    const stage = await service();
    const { runId } = await startRun(stage, SUITE);
    expect((await stage.api.put(`/runs/${runId}/cancel`)).status).toBe(200);
    const again = await stage.api.put(`/runs/${runId}/cancel`);
    expect(again).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining('This run is already cancelled') },
    });
    const done = await recordRun(stage, { retail: { tests: { [CART]: passed() } } }, { ciBuildId: 'done' });
    const late = await stage.api.put(`/runs/${done.runId}/cancel`);
    expect(late).toMatchObject({ status: 422, body: { error: expect.stringContaining('This run has ended') } });
    expect(await read(stage.api, `/runs/${done.runId}`)).toMatchObject({ completionState: 'COMPLETE' });
  });

  test('Concurrent requests cancel a run only once, and one event is published', async () => {
    const stage = await service();
    const { runId } = await startRun(stage, SUITE);
    const answers = await Promise.all(Array.from({ length: 12 }, () => stage.api.put(`/runs/${runId}/cancel`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 11 }, () => 422)]);
    const events = (await eventsOfRun(stage, runId)).map(({ payload }) => payload.event);
    expect(events.filter((event) => terminal.includes(event))).toEqual(['RUN_CANCELED']);
  });

  test('Results that arrive after their run was cancelled are counted, without a further event', async () => {
    const stage = await service();
    const claimed = await claimedRun(stage);
    const recordId = await createRecord(stage, claimed, OPEN, running());
    await stage.api.put(`/runs/${claimed.runId}/cancel`);
    const before = await eventsOfRun(stage, claimed.runId);
    await updateRecord(stage, recordId, failed(), 2);
    const run = await read(stage.api, `/runs/${claimed.runId}`);
    expect(run).toMatchObject({ status: 'FAILED', completionState: 'CANCELED' });
    expect(run.groups[0].tests).toMatchObject({ overall: 1, failures: 1 });
    expect(await eventsOfRun(stage, claimed.runId)).toEqual(before);
  });
});

describe('POST /v1/runs/cancel', () => {
  test.each([['ciBuildId'], ['runId']] as const)(
    '`POST /runs/cancel` cancels a run by its %s, and succeeds again if the run is already cancelled',
    async (by) => {
      const stage = await service();
      const { runId, ciBuildId } = await startRun(stage, SUITE);
      const { projectId, keys } = stage;
      const body = { recordKey: keys.readWrite, projectId, [by]: by === 'runId' ? runId : ciBuildId };
      const cancellation = { actor: 'api:CI', reason: 'apiRequest', canceledAt: START.toISOString() };
      for (const answer of [
        await stage.anonymous.post('/runs/cancel', body),
        await stage.anonymous.post('/runs/cancel', body),
      ]) {
        expect(answer).toMatchObject({ status: 200, body: { status: 'OK', data: { runId, cancellation } } });
      }
      expect(await read(stage.api, `/runs/${runId}`)).toMatchObject({ completionState: 'CANCELED' });
    },
  );

  test('`POST /runs/cancel` returns `cancellation: null` for an unknown or finished run, and 400 if the request names no run', async () => {
    const stage = await service();
    const { projectId, keys } = stage;
    const ask = (more: object) =>
      stage.anonymous.post('/runs/cancel', { recordKey: keys.readWrite, projectId, ...more });
    expect((await ask({ ciBuildId: 'nobody' })).body.data).toEqual({ runId: null, cancellation: null });
    const { runId } = await recordRun(stage, { retail: { tests: { [CART]: passed() } } });
    expect((await ask({ runId })).body.data).toEqual({ runId, cancellation: null });
    expect((await ask({ runId, projectId: 'zzzzzz' })).body.data).toEqual({ runId: null, cancellation: null });
    expect((await ask({})).status).toBe(400);
  });
});

describe('§3 Fail-fast', () => {
  const suite = [suiteGroup('retail', [CART, TAX])];

  test('Fail-fast cancels a run at its first failed test if fail-fast is enabled for the project', async () => {
    const stage = await service();
    const { services, organizationId, projectId } = stage;
    await changeProjectSettings(services, { organizationId, projectId, actor: OPERATOR, settings: { failFast: true } });
    const { runId } = await recordRun(stage, { retail: { tests: { [CART]: failed(), [TAX]: undefined } } });
    const run = await read(stage.api, `/runs/${runId}`);
    expect(run).toMatchObject({
      status: 'FAILED',
      completionState: 'CANCELED',
      cancellation: { actor: 'rundown', reason: 'failFast' },
    });
    const claim = await stage.api.post(`@/runs/${runId}/pw/instances/v1`, { groupId: 'retail', spec: 'tax.spec.ts' });
    expect(claim).toMatchObject({ status: 422, body: { code: 'RUN_CANCELLED' } });
  });

  test('Fail-fast cancels a run when the number of failed tests reaches the limit that the reporter sent, and not before', async () => {
    const stage = await service();
    const config = { currents: { autoCancelAfterFailures: 2 } };
    // One test never reports, so only fail-fast can end the run.
    const silent = { [CART]: undefined, [TAX]: undefined, 'tip.spec.ts > tip > is optional': undefined };
    const first = await recordRun(stage, { retail: { tests: { ...silent, [CART]: failed() } } }, { config });
    expect(await read(stage.api, `/runs/${first.runId}`)).toMatchObject({ completionState: 'IN_PROGRESS' });
    await recordRun(stage, { retail: { tests: { ...silent, [TAX]: failed() } } }, { config });
    expect(await read(stage.api, `/runs/${first.runId}`)).toMatchObject({
      status: 'FAILED',
      completionState: 'CANCELED',
      cancellation: { actor: 'rundown', reason: 'failFast' },
    });
    const events = (await eventsOfRun(stage, first.runId)).map(({ payload }) => payload.event);
    expect(events.filter((event) => terminal.includes(event))).toEqual(['RUN_CANCELED']);
  });

  test('Without fail-fast, a batch upload without results leaves its run in progress', async () => {
    const stage = await service();
    const { body } = await sendUpload(stage, uploadBody(stage, suite, []));
    expect(await read(stage.api, `/runs/${body.runId}`)).toMatchObject({ completionState: 'IN_PROGRESS' });
  });
});
