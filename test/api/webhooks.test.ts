import { describe, expect, test } from 'vitest';
import { webhooks } from '#shared/model/events/webhook.ts';
import { clock, logLines, service, type Tenant } from '#test/harness/service.ts';

const URL = 'https://receiver.invalid/hook?room=7';
const VALUE = 'correct-horse-battery-staple';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const pathOf = ({ projectId }: Pick<Tenant, 'projectId'>) => `/webhooks?projectId=${projectId}`;
const create = async (tenant: Tenant, more: object = {}): Promise<{ hookId: string }> =>
  (await tenant.api.post(pathOf(tenant), { url: URL, ...more })).body.data;

describe('POST /webhooks', () => {
  test('returns the created webhook as requested, with its headers as the JSON text that was sent', async () => {
    const tenant = await service();
    const headers = `{ "Authorization": "Bearer ${VALUE}" }`;
    const input = { url: URL, headers, hookEvents: ['RUN_TIMEOUT', 'RUN_FINISH', 'RUN_TIMEOUT'], label: 'Chat' };
    const { status, body } = await tenant.api.post(pathOf(tenant), input);
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        status: 'OK',
        data: {
          hookId: expect.stringMatching(UUID),
          projectId: tenant.projectId,
          url: URL,
          headers,
          hookEvents: ['RUN_TIMEOUT', 'RUN_FINISH'],
          label: 'Chat',
          createdAt: '2026-11-02T10:00:00.000Z',
          updatedAt: '2026-11-02T10:00:00.000Z',
          signed: false,
          disabled: null,
          failingSince: null,
        },
      },
    });
    expect((await tenant.reader.get(`/webhooks/${body.data.hookId}`)).body).toEqual(body);
  });

  test('requires only a URL, and defaults to no headers, all events, no label and no signature', async () => {
    const defaults = { headers: null, hookEvents: [], label: null, signed: false };
    expect(await create(await service())).toMatchObject(defaults);
  });

  test('accepts headers as an object, and returns them as JSON text', async () => {
    const headers = { Authorization: `Bearer ${VALUE}` };
    expect(await create(await service(), { headers })).toMatchObject({ headers: JSON.stringify(headers) });
  });

  test.each([
    [{ url: undefined }, '`url` is required'],
    [{ url: 'ftp://receiver.invalid' }, 'https://'],
    [{ url: 'https://169.254.169.254/latest/meta-data' }, 'Use a receiver'],
    [{ url: 'https://user:password@receiver.invalid' }, 'Authorization'],
    [{ url: `https://receiver.invalid/${'x'.repeat(2048)}` }, '2048'],
    [{ headers: `["${VALUE}"]` }, 'JSON object'],
    [{ headers: `{"Host": "${VALUE}"}` }, 'Host'],
    [{ headers: { 'X-Token': `${VALUE}\r\nX-Other: 1` } }, 'X-Token'],
    [{ headers: { 'X-Token': [VALUE] } }, 'an object with string values'],
    [{ hookEvents: ['RUN_END'] }, 'RUN_START, RUN_FINISH, RUN_TIMEOUT, RUN_CANCELED'],
    [{ label: '' }, 'at least 1 character'],
    [{ label: 'x'.repeat(256) }, 'at most 255 characters'],
    [{ signed: 'yes' }, '`true` or `false`'],
  ])('refuses %j, says what to send, and repeats no header value', async (wrong, advice) => {
    const tenant = await service();
    const { status, body } = await tenant.api.post(pathOf(tenant), { url: URL, ...wrong });
    expect({ status, body }).toEqual({
      status: 400,
      body: { status: 'FAILED', error: expect.stringContaining(advice) },
    });
    expect(JSON.stringify(body)).not.toContain(VALUE);
    expect((await tenant.reader.get(pathOf(tenant))).body.data).toEqual([]);
  });

  test('allows at most 20 webhooks per project, even for concurrent requests, and allows another one after a deletion', async () => {
    const tenant = await service();
    for (let made = 0; made < 15; made += 1) await create(tenant);
    const answers = await Promise.all(Array.from({ length: 8 }, () => tenant.api.post(pathOf(tenant), { url: URL })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.find(({ status }) => status !== 201)).toMatchObject({
      status: 409,
      body: { status: 'FAILED', error: expect.stringContaining('maximum of 20 webhooks. Delete') },
    });
    const [first, ...others] = (await tenant.reader.get(pathOf(tenant))).body.data;
    expect(others).toHaveLength(19);
    const ends = await Promise.all([1, 2, 3].map(() => tenant.api.send('DELETE', `/webhooks/${first.hookId}`)));
    expect(ends.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    const again = [
      await tenant.api.post(pathOf(tenant), { url: URL }),
      await tenant.api.post(pathOf(tenant), { url: URL }),
    ];
    expect(again.map(({ status }) => status)).toEqual([201, 409]);
  });
});

describe('GET /webhooks', () => {
  test('lists the webhooks of the project, newest first, and none of another organization', async () => {
    const tenant = await service();
    const first = await create(tenant);
    clock.advance(1);
    const second = await create(tenant);
    await create(await tenant.tenant());
    expect((await tenant.reader.get(pathOf(tenant))).body).toEqual({ status: 'OK', data: [second, first] });
  });
});

describe('PUT /webhooks/{hookId}', () => {
  test('changes only the properties that were sent', async () => {
    const { api, reader, ...tenant } = await service();
    const before = await create({ api, reader, ...tenant }, { label: 'Chat', headers: '{"A":"1"}' });
    const path = `/webhooks/${before.hookId}`;
    for (const [change, shown] of [
      [{ label: null }, { label: null }],
      [{ url: 'https://other.invalid' }, { url: 'https://other.invalid' }],
      [{ headers: { B: '2' } }, { headers: '{"B":"2"}' }],
      [{ hookEvents: ['RUN_START'] }, { hookEvents: ['RUN_START'] }],
    ]) {
      const old = (await reader.get(path)).body.data;
      clock.advance(1000);
      const { body } = await api.put(path, change);
      expect(body.data).toEqual({ ...old, ...shown, updatedAt: new Date().toISOString() });
      expect((await reader.get(path)).body).toEqual(body);
      clock.advance(1000);
      expect((await api.put(path, change)).body).toEqual(body);
    }
  });

  test.each([
    [{}, 'Send at least one of `url`, `headers`, `hookEvents`, `label` and `enabled`'],
    [{ colour: 'red' }, 'Send at least one of'],
    [{ url: null }, '`url` must be a string'],
    [{ url: 'https://169.254.169.254' }, 'Use a receiver'],
    [{ headers: 'X-Token: 1' }, 'JSON object'],
    [{ hookEvents: ['RUN_STARTED'] }, 'RUN_START, RUN_FINISH'],
    [{ enabled: 'no' }, '`true` or `false`'],
  ])('refuses %j and changes nothing', async (wrong, advice) => {
    const tenant = await service();
    const before = await create(tenant);
    clock.advance(1000);
    const answer = await tenant.api.put(`/webhooks/${before.hookId}`, wrong);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(advice) } });
    expect((await tenant.reader.get(`/webhooks/${before.hookId}`)).body.data).toEqual(before);
  });

  test('resets the circuit breaker when the URL changes', async () => {
    const { services, ...tenant } = await service();
    const { hookId } = await create(tenant);
    const key = { organizationId: tenant.organizationId, hookId };
    const failing = { failures: 7, failingSince: Date.now(), pausedUntil: Date.now() + 60_000 };
    await services.table.update(webhooks, key, { set: Object.entries(failing) });
    expect((await tenant.api.put(`/webhooks/${hookId}`, { label: 'Slow' })).body.data.failingSince).not.toBeNull();
    expect(await services.table.get(webhooks, key)).toMatchObject(failing);
    await tenant.api.put(`/webhooks/${hookId}`, { url: 'https://other.invalid' });
    const { failures, failingSince, pausedUntil } = (await services.table.get(webhooks, key)) ?? {};
    expect({ failures, failingSince, pausedUntil }).toEqual({ failures: 0 });
  });

  test('keeps the time at which a webhook was disabled if it is disabled again', async () => {
    const tenant = await service();
    const { hookId } = await create(tenant);
    const disabled = { at: '2026-11-02T10:00:00.000Z', reason: 'byHand' };
    expect((await tenant.api.put(`/webhooks/${hookId}`, { enabled: false })).body.data).toMatchObject({ disabled });
    clock.advance(1000);
    expect((await tenant.api.put(`/webhooks/${hookId}`, { enabled: false })).body.data).toMatchObject({ disabled });
    expect((await tenant.api.put(`/webhooks/${hookId}`, { enabled: true })).body.data.disabled).toBeNull();
  });
});

describe('A webhook', () => {
  test('A deleted webhook cannot be read, changed, tested, signed or deleted again: the response is 404', async () => {
    const tenant = await service();
    const { hookId } = await create(tenant);
    const path = `/webhooks/${hookId}`;
    expect(await tenant.api.send('DELETE', path)).toMatchObject({
      status: 200,
      body: { status: 'OK', data: { hookId } },
    });
    const answers = [
      await tenant.api.get(path),
      await tenant.api.put(path, { enabled: true }),
      await tenant.api.get(`${path}/deliveries`),
      await tenant.api.send('POST', `${path}/test`),
      await tenant.api.send('POST', `${path}/secret`),
      await tenant.api.send('DELETE', path),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { error: 'Webhook not found' } });
    expect((await tenant.reader.get(pathOf(tenant))).body.data).toEqual([]);
  });

  test('The log contains no header value of a webhook', async () => {
    const tenant = await service();
    const { hookId } = await create(tenant, { headers: { 'X-Token': VALUE } });
    await tenant.api.put(`/webhooks/${hookId}`, { headers: { 'X-Token': `${VALUE}2` } });
    await tenant.api.put(`/webhooks/${hookId}`, { headers: { Host: VALUE, [VALUE]: 'ü' } });
    await tenant.api.get(`/webhooks/${hookId}`);
    await tenant.api.send('POST', `/webhooks/${hookId}/test`);
    const about = logLines.filter((line) => line.includes(tenant.organizationId));
    expect(about.length).toBeGreaterThan(3);
    expect(logLines.filter((line) => line.includes(VALUE))).toEqual([]);
  });
});
