/** §4.3 Evidence and files may expire before the result to which they belong. */

import { describe, expect, test, vi } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { removeExpiredFiles } from '#shared/lifecycle/remove-expired-files.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { confirmArtifacts, TRACE_CAPS } from '#shared/recording/confirm-artifact.ts';
import { objectsOf } from '#test/harness/bucket.ts';
import { confirmed } from '#test/harness/downloads.ts';
import { inFreeSlot } from '#test/harness/fair-shares.ts';
import { recordRun } from '#test/harness/recording.ts';
import { attempt, failed, testIdOf } from '#test/harness/recording-messages.ts';
import { historyOf } from '#test/harness/recording-readback.ts';
import { clock, START, service } from '#test/harness/service.ts';

const CART = 'cart.spec.ts > sums';
const DAY = 24 * 3_600_000;
const STEP = { title: 'opens the cart', category: 'test.step', duration: 5, steps: [] };
const FAILED = failed({ attempts: [attempt('failed', { attempt: 0, steps: [STEP], stdout: ['two pieces\n'] })] });

/** A project that keeps results for three days. `record` records a run with one failed test. */
async function failedRun(evidenceDays: number, filesDays: number) {
  const stage = await service();
  const { organizationId, projectId, services } = stage;
  const settings = { retention: { resultsDays: 3, evidenceDays, filesDays } };
  const record = async () => {
    const { runId, instances, records } = await recordRun(stage, { retail: { tests: { [CART]: FAILED } } });
    const instanceId = instances['retail cart.spec.ts'] ?? '';
    const query = `instance_id=${instanceId}&test_id=${testIdOf('retail', CART)}`;
    return {
      runId,
      instanceId,
      recordId: records[`retail ${CART}`] ?? '',
      context: async () => (await stage.api.get(`/context?${query}`)).body.data,
      markdown: async () => (await stage.api.get(`/context?${query}&format=md`)).body,
      listed: async () => (await stage.api.get(`/context?run_id=${runId}`)).body.data.list[0],
      instance: async () => (await stage.api.get(`/instances/${instanceId}`)).body.data,
    };
  };
  await changeProjectSettings(services, { organizationId, projectId, actor: OPERATOR, settings });
  return { ...stage, record };
}

const FILE = { type: 'attachment', name: 'a.txt', artifactId: 'a1', attemptId: 0, contentType: 'text/plain' };

describe('The expiry of evidence', () => {
  test('Steps and output that expire before their result are missing from the failure context, which says when they expired', async () => {
    const stage = await failedRun(1, 3);
    const { context, markdown, listed, instance } = await stage.record();
    clock.set(START.getTime() + DAY - 1);
    const whole = await context();
    expect(whole).toMatchObject({ steps: [{ title: 'opens the cart' }], stdout: ['two pieces\n'] });
    expect(whole.meta).not.toHaveProperty('evidenceExpiredAt');
    clock.advance(1);
    const evidenceExpiredAt = '2026-11-03T10:00:00.000Z';
    const left = await context();
    expect(left).toMatchObject({ steps: [], stdout: [], meta: { evidenceExpiredAt } });
    expect(left.meta).not.toHaveProperty('filesExpiredAt');
    expect(left.error).toEqual(whole.error);
    expect(await markdown()).toContain(`Steps, output and trace analysis expired: ${evidenceExpiredAt}`);
    expect(await listed()).toMatchObject({ steps: [], meta: { evidenceExpiredAt } });
    const message = 'Error: expected 2, received 3';
    expect((await instance()).results.tests).toMatchObject([{ state: 'failed', displayError: message }]);
    const history = await historyOf(stage, { spec: 'cart.spec.ts', title: ['sums'] });
    expect(history).toMatchObject([{ status: 'failed', displayError: message }]);
  });
});

describe('The expiry of files', () => {
  test('Files that expire before their result are missing from the instance and the failure context, and the sweep removes them from the object store', async () => {
    const stage = await failedRun(3, 1);
    // Uses the real clock, because the object store checks presigned URLs against the real time.
    vi.useRealTimers();
    const { recordId, context, instance } = await stage.record();
    const { body } = await stage.api.post(`@/artifacts/test-record/${recordId}`, FILE);
    expect((await fetch(body.uploadUrl, { method: 'PUT', body: 'seen' })).status).toBe(200);
    const link: string = (await instance()).results.attachments[0].readUrl;
    expect((await confirmed(link)).status).toBe(200);
    clock.advance(DAY - 60_000);
    expect((await context()).assets.totals).toMatchObject({ attachments: 1 });
    // TTLs are whole seconds, so the clock advances by one more second.
    clock.advance(61_000);
    expect((await instance()).results.attachments).toEqual([]);
    expect(await context()).toMatchObject({
      assets: { attachments: [], totals: { attachments: 0 } },
      meta: { filesExpiredAt: expect.any(String) },
      steps: [{ title: 'opens the cart' }],
    });
    const time = { remainingMilliseconds: () => 60_000 };
    expect(await removeExpiredFiles(stage.services, time)).toMatchObject({ due: 0 });
    clock.advance(60_000);
    expect(await removeExpiredFiles(stage.services, time)).toMatchObject({ due: 1, failed: 0 });
    expect(await objectsOf(stage)).toEqual([]);
    expect((await fetch(link)).status).toBe(404);
  });

  test('Files that are announced after their expiry get an upload link, but are not kept', async () => {
    const stage = await failedRun(3, 1);
    vi.useRealTimers();
    const { recordId, instance } = await stage.record();
    // TTLs are whole seconds, so the clock advances by one more second.
    clock.advance(DAY + 1000);
    const { status, body } = await stage.api.post(`@/artifacts/test-record/${recordId}`, FILE);
    expect(status).toBe(200);
    expect((await fetch(body.uploadUrl, { method: 'PUT', body: 'late' })).status).toBe(200);
    // Handles the message about the upload right away.
    const Records = (await objectsOf(stage)).map((key) => ({ s3: { object: { key } } }));
    await confirmArtifacts(inFreeSlot(stage.services, TRACE_CAPS), { Records, rounds: 0 });
    expect(await objectsOf(stage)).toEqual([]);
    expect((await instance()).results.attachments).toEqual([]);
  });

  test('If a sweep of many expired files runs out of time, the next sweep removes the rest', async () => {
    const stage = await failedRun(3, 1);
    vi.useRealTimers();
    const { recordId } = await stage.record();
    const announced = Array.from({ length: 120 }, (_, number) =>
      stage.api.post(`@/artifacts/test-record/${recordId}`, { ...FILE, artifactId: `a${number}` }),
    );
    await Promise.all(announced);
    clock.advance(DAY + 61_000);
    let left = 2;
    const short = { remainingMilliseconds: () => (left-- > 0 ? 60_000 : 0) };
    expect(await removeExpiredFiles(stage.services, short)).toMatchObject({ failed: 0, finished: false });
    const swept = await removeExpiredFiles(stage.services, { remainingMilliseconds: () => 60_000 });
    expect(swept).toMatchObject({ failed: 0, finished: true });
    expect(await removeExpiredFiles(stage.services, { remainingMilliseconds: () => 60_000 })).toMatchObject({ due: 0 });
  });
});
