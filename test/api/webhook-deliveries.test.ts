import { describe, expect, test } from 'vitest';
import { type Delivery, deliveries } from '#shared/model/events/delivery.ts';
import { WebhookBody } from '#shared/webhooks/body-wire.ts';
import { deliveryItem } from '#test/engine/http/sample-webhooks.ts';
import { deliverEvents, service } from '#test/harness/service.ts';

deliverEvents();

async function stage(input: object = {}) {
  const tenant = await service();
  const { api, services, organizationId, projectId } = tenant;
  const url = 'https://receiver.invalid/hook';
  const { hookId } = (await api.post(`/webhooks?projectId=${projectId}`, { url, ...input })).body.data;
  const path = `/webhooks/${hookId}`;
  const store = async (more: Partial<Delivery> = {}, number = 1): Promise<Delivery> => {
    const item = deliveryItem({ organizationId, projectId, hookId }, { number, createdAt: Date.now(), ...more });
    await services.table.put(deliveries, item);
    return item;
  };
  return { ...tenant, hookId, path, store };
}

describe('GET /webhooks/{hookId}/deliveries', () => {
  test('lists deliveries with their body and attempts', async () => {
    const { reader, path, hookId, store } = await stage();
    const failed = { at: Date.now(), latencyMs: 10_000, statusCode: null, error: 'timed out', answer: null };
    const waiting = { status: 'pending', attempts: [failed], nextAttemptAt: Date.now() + 5000, groupId: 'a' } as const;
    const { deliveryId } = await store(waiting);
    const { body } = await reader.get(`${path}/deliveries`);
    expect(body).toEqual({
      status: 'OK',
      has_more: false,
      data: [
        {
          deliveryId,
          hookId,
          event: 'RUN_FINISH',
          test: false,
          runId: '0123456789abcdef',
          groupId: 'a',
          status: 'pending',
          attempts: [{ ...failed, at: '2026-11-02T10:00:00.000Z' }],
          attemptsMade: 1,
          nextAttemptAt: '2026-11-02T10:00:05.000Z',
          createdAt: '2026-11-02T10:00:00.000Z',
          body: '{"event":"RUN_FINISH"}',
          cursor: expect.stringMatching(/^[\w-]+$/),
        },
      ],
    });
  });

  test('omits a delivery as soon as it expires', async () => {
    const { reader, path, store } = await stage();
    const now = Date.now() / 1000;
    await store({ expiresAt: now }, 1);
    const { deliveryId } = await store({ expiresAt: now + 1 }, 2);
    expect((await reader.get(`${path}/deliveries`)).body.data).toMatchObject([{ deliveryId }]);
  });

  test('refuses a cursor of another webhook', async () => {
    const { api, path, projectId, store } = await stage();
    await store();
    const { cursor } = (await api.get(`${path}/deliveries`)).body.data[0];
    const url = 'https://receiver.invalid/other';
    const other = (await api.post(`/webhooks?projectId=${projectId}`, { url })).body.data;
    const answer = await api.get(`/webhooks/${other.hookId}/deliveries?starting_after=${cursor}`);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('cursor') } });
  });
});

describe('POST /webhooks/{hookId}/test', () => {
  test.each([
    [[], 'RUN_FINISH'],
    [['RUN_START', 'RUN_FINISH'], 'RUN_FINISH'],
    [['RUN_CANCELED', 'RUN_START'], 'RUN_CANCELED'],
  ])(
    'for a webhook with the events %j, queues a test message of the type %s that has the properties of a real message, but no results',
    async (hookEvents, event) => {
      const { api, path, hookId, origin } = await stage({ hookEvents });
      const { status, body } = await api.send('POST', `${path}/test`);
      expect({ status, body }).toMatchObject({
        status: 200,
        body: {
          status: 'OK',
          data: {
            hookId,
            event,
            test: true,
            runId: null,
            groupId: null,
            status: 'pending',
            attempts: [],
            attemptsMade: 0,
          },
        },
      });
      expect(body.data.deliveryId).toMatch(/^msg_[0-9a-v]{9}[0-9a-f]{24}$/);
      const sent = JSON.parse(body.data.body);
      expect(WebhookBody.strict().parse(sent)).toEqual(sent);
      expect(sent).toMatchObject({ event, buildId: 'webhook-test', overall: 0, failures: 0, commit: { branch: null } });
      expect(sent).not.toHaveProperty('groupId');
      expect(sent.runUrl.startsWith(`${origin}/`)).toBe(true);
    },
  );

  test('creates and lists a new delivery for each test message', async () => {
    const { api, path } = await stage();
    const first = (await api.send('POST', `${path}/test`)).body.data.deliveryId;
    const second = (await api.send('POST', `${path}/test`)).body.data.deliveryId;
    const listed = (await api.get(`${path}/deliveries`)).body.data;
    expect(new Set(listed.map(({ deliveryId }: { deliveryId: string }) => deliveryId))).toEqual(
      new Set([first, second]),
    );
  });

  test('A test message is refused for a disabled webhook until the webhook is enabled', async () => {
    const { api, path } = await stage();
    await api.put(path, { enabled: false });
    expect(await api.send('POST', `${path}/test`)).toMatchObject({
      status: 409,
      body: { status: 'FAILED', error: expect.stringContaining('Enable it first') },
    });
    expect((await api.get(`${path}/deliveries`)).body.data).toEqual([]);
    await api.put(path, { enabled: true });
    expect((await api.send('POST', `${path}/test`)).status).toBe(200);
  });
});

describe('POST /webhooks/{hookId}/deliveries/{deliveryId}/redeliver', () => {
  test.each(['delivered', 'exhausted', 'dropped'] as const)(
    'queues the unchanged message of a %s delivery for redelivery',
    async (status) => {
      const { api, path, store } = await stage();
      const { deliveryId, body } = await store({ status, attemptsMade: 8, retry: 7 });
      const answer = await api.send('POST', `${path}/deliveries/${deliveryId}/redeliver`);
      expect(answer).toMatchObject({
        status: 200,
        body: { status: 'OK', data: { deliveryId, body, status: 'pending', attemptsMade: 8 } },
      });
    },
  );

  test('returns 404 for unknown and expired deliveries and for deliveries of another webhook', async () => {
    const { api, path, projectId, store } = await stage();
    const here = await store();
    const expired = await store({ expiresAt: Date.now() / 1000 }, 2);
    const url = 'https://receiver.invalid/other';
    const { hookId } = (await api.post(`/webhooks?projectId=${projectId}`, { url })).body.data;
    for (const at of [
      `/webhooks/${hookId}/deliveries/${here.deliveryId}`,
      `${path}/deliveries/${expired.deliveryId}`,
      `${path}/deliveries/msg_0`,
    ]) {
      const answer = await api.send('POST', `${at}/redeliver`);
      expect(answer).toMatchObject({ status: 404, body: { error: 'Delivery not found' } });
    }
  });

  test('Redelivery is refused for a disabled webhook', async () => {
    const { api, path, store } = await stage();
    const { deliveryId } = await store();
    await api.put(path, { enabled: false });
    const answer = await api.send('POST', `${path}/deliveries/${deliveryId}/redeliver`);
    expect(answer).toMatchObject({ status: 409, body: { error: expect.stringContaining('Enable it first') } });
    expect((await api.get(`${path}/deliveries`)).body.data).toMatchObject([{ status: 'delivered' }]);
  });
});
