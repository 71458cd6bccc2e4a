/** §4.4.4, §6 The delivery log is kept longer than the results of a run, and retries do not need the results. */
import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { answering, receiver } from '#test/harness/receiver.ts';
import { recordRun } from '#test/harness/recording.ts';
import { passed } from '#test/harness/recording-messages.ts';
import { clock, deliverEvents, service } from '#test/harness/service.ts';

deliverEvents();

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/**
 * Creates a webhook, and records a finished run whose results are kept for one day. The webhook is notified of the end
 * of the run.
 */
async function finishedRun(url: string) {
  const stage = await service();
  const { api, services, organizationId, projectId } = stage;
  const settings = { retention: { resultsDays: 1, evidenceDays: 1, filesDays: 1 } };
  await changeProjectSettings(services, { organizationId, projectId, actor: OPERATOR, settings });
  const { body } = await api.post(`/webhooks?projectId=${projectId}`, { url, hookEvents: ['RUN_FINISH'] });
  const { runId } = await recordRun(stage, { retail: { tests: { 'cart.spec.ts > sums': passed() } } });
  const path = `/webhooks/${body.data.hookId}/deliveries`;
  const listed = async () => (await api.get(path)).body.data;
  const statusOfRun = async () => (await api.get(`/runs/${runId}`)).status;
  return { ...stage, runId, path, listed, statusOfRun };
}

describe('Deliveries of an expired run', () => {
  test('can be sent again unchanged, and then stay in the delivery log for 30 days', async () => {
    const { url, received } = await receiver();
    const { api, runId, path, listed, statusOfRun } = await finishedRun(url);
    await expect.poll(listed).toMatchObject([{ runId, status: 'delivered' }]);
    clock.advance(DAY + MINUTE);
    expect(await statusOfRun()).toBe(404);
    const [{ deliveryId, body }] = await listed();
    expect((await api.post(`${path}/${deliveryId}/redeliver`, undefined)).status).toBe(200);
    await expect.poll(listed).toMatchObject([{ deliveryId, body, status: 'delivered', attemptsMade: 2 }]);
    expect(received.map((request) => request.body)).toEqual([body, body]);
    clock.advance(30 * DAY - MINUTE);
    expect(await listed()).toMatchObject([{ deliveryId }]);
    clock.advance(2 * MINUTE);
    expect(await listed()).toEqual([]);
  });

  test('are still retried when they are due', async () => {
    const answers = [answering(503, { 'Retry-After': String(DAY / 1000) })];
    const { url, received } = await receiver((...call) => (answers.shift() ?? answering(204))(...call));
    const { runId, listed, statusOfRun, runSchedule } = await finishedRun(url);
    await expect.poll(listed).toMatchObject([{ runId, status: 'pending', attemptsMade: 1 }]);
    clock.advance(DAY + MINUTE);
    expect(await statusOfRun()).toBe(404);
    await runSchedule('retryDeliveries');
    await expect.poll(listed).toMatchObject([{ runId, status: 'delivered', attemptsMade: 2 }]);
    const [first, second] = received.map(({ body, header }) => ({ body, id: header('webhook-id') }));
    expect(second).toEqual(first);
  });
});
