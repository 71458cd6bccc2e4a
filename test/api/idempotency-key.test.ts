import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { SCOPES } from '#shared/model/organizations/permissions.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { accessToken } from '#test/harness/access-tokens.ts';
import { client } from '#test/harness/client.ts';
import { claimsOf, signed } from '#test/harness/issuer.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { passed } from '#test/harness/recording-messages.ts';
import { beforeTableCalls, clock, service, type Tenant, type TestService, watchTable } from '#test/harness/service.ts';
import { itemsOf } from '#test/harness/table-rows.ts';

watchTable();

const DAY = 86_400_000;

type Stage = TestService & Tenant;

interface Creation {
  readonly path: (stage: Stage) => string;
  readonly body: (stage: Stage) => Promise<object> | object;
  readonly other: object;
  readonly count: (stage: Stage) => Promise<number>;
}

const countOf = async (stage: Stage, path: string): Promise<number> => (await stage.api.get(path)).body.data.length;

const CREATIONS: Readonly<Record<string, Creation>> = {
  project: {
    path: () => '/projects',
    body: () => ({ name: 'Second', retention: { filesDays: 7 }, tags: ['b', 'a'] }),
    other: { name: 'Third' },
    // Each organization has one already.
    count: async (stage) => (await countOf(stage, '/projects')) - 1,
  },
  action: {
    path: ({ projectId }) => `/actions?projectId=${projectId}`,
    body: () => ({
      name: 'Skip',
      action: [{ op: 'skip' }],
      matcher: { op: 'AND', cond: [{ type: 'tag', op: 'eq', value: 'slow' }] },
      expiresAfter: '2030-01-01T00:00:00Z',
    }),
    other: { name: 'Quarantine' },
    count: (stage) => countOf(stage, `/actions?projectId=${stage.projectId}`),
  },
  webhook: {
    path: ({ projectId }) => `/webhooks?projectId=${projectId}`,
    body: () => ({ url: 'https://receiver.invalid/hook', signed: true }),
    other: { url: 'https://receiver.invalid/other' },
    count: (stage) => countOf(stage, `/webhooks?projectId=${stage.projectId}`),
  },
};

const send = async (stage: Stage, kind: string, key: string, more: object = {}, api = stage.api) => {
  const { path, body } = CREATIONS[kind] ?? expect.fail();
  const { status, body: answer } = await api.post(
    path(stage),
    { ...(await body(stage)), ...more },
    { headers: { 'idempotency-key': key } },
  );
  return { status, answer };
};

describe.each(Object.entries(CREATIONS))('A request that creates a %s', (kind, { count, other }) => {
  test('A repeated request with the same key creates nothing again, and gets the first answer with its secrets', async () => {
    const stage = await service();
    const key = randomUUID();
    const first = await send(stage, kind, key);
    expect(first.status).toBe(201);
    clock.advance(DAY - 60_000);
    expect(await send(stage, kind, key)).toEqual(first);
    expect(await count(stage)).toBe(1);
  });

  test('Requests with other keys, or without one, each create something', async () => {
    const stage = await service();
    for (const key of ['a', 'b']) expect((await send(stage, kind, key)).status).toBe(201);
    const { path, body } = CREATIONS[kind] ?? expect.fail();
    for (const _ of [1, 2]) expect((await stage.api.post(path(stage), await body(stage))).status).toBe(201);
    expect(await count(stage)).toBe(4);
  });

  test('Another request with the same key is refused, and changes nothing', async () => {
    const stage = await service();
    expect((await send(stage, kind, 'k')).status).toBe(201);
    expect(await send(stage, kind, 'k', other)).toEqual({
      status: 422,
      answer: { status: 'FAILED', error: expect.stringContaining('used within a day for another request') },
    });
    expect(await count(stage)).toBe(1);
  });

  test('After a day, the key may be used again', async () => {
    const stage = await service();
    await send(stage, kind, 'k');
    clock.advance(DAY + 1000);
    expect((await send(stage, kind, 'k', other)).status).toBe(201);
    expect(await count(stage)).toBe(2);
  });

  test('A refused request leaves its key free', async () => {
    const stage = await service();
    expect((await send(stage, kind, 'k', { name: '', url: '' })).status).toBe(400);
    expect((await send(stage, kind, 'k')).status).toBe(201);
  });

  test('Ten concurrent requests with one key create one object, and all get the same answer', async () => {
    const stage = await service();
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(stage, kind, 'k')));
    expect(answers).toEqual(answers.map(() => answers[0]));
    expect(answers[0]?.status).toBe(201);
    expect(await count(stage)).toBe(1);
  });

  test('A repetition that overtakes the first request between any two calls of the table gets the same answer', async () => {
    const stage = await service();
    for (let at = 0; ; at += 1) {
      let calls = 0;
      let overtaking: unknown;
      const act = async () => {
        calls += 1;
        if (calls === at + 1) overtaking = await send(stage, kind, `k${at}`);
      };
      const first = await beforeTableCalls(act, () => send(stage, kind, `k${at}`));
      if (overtaking === undefined) break;
      expect(first.status).toBe(201);
      expect(overtaking).toEqual(first);
      expect(await count(stage)).toBe(at + 1);
    }
  });

  test('A request that is interrupted before any call of the table is done completely or not at all when it is repeated', async () => {
    const stage = await service();
    for (let at = 0; ; at += 1) {
      let calls = 0;
      const act = () => {
        calls += 1;
        if (calls > at) throw new Error('Interrupted');
      };
      const first = await beforeTableCalls(act, () => send(stage, kind, `k${at}`));
      const again = await send(stage, kind, `k${at}`);
      expect(again.status).toBe(201);
      expect(await count(stage)).toBe(at + 1);
      if (first.status !== 201) continue;
      expect(again).toEqual(first);
      break;
    }
  });
});

describe('An Idempotency-Key', () => {
  test('belongs to one credential and one operation', async () => {
    const stage = await service();
    const { value } = await createApiKey(stage.services, {
      organizationId: stage.organizationId,
      label: 'CI',
      level: 'readWrite',
      actor: OPERATOR,
    });
    const ofSameLabel = client(stage.origin, value);
    const ids = [
      (await send(stage, 'project', 'k')).answer.data.projectId,
      (await send(stage, 'project', 'k', {}, ofSameLabel)).answer.data.projectId,
    ];
    expect(new Set(ids).size).toBe(2);
    expect((await send(stage, 'webhook', 'k')).status).toBe(201);
    const other = { ...stage, ...(await stage.tenant('Other')) };
    expect((await send(other, 'project', 'k')).answer.data.projectId).not.toBe(ids[0]);
  });

  test.each(['', ' ', 'two words', 'ü', 'x'.repeat(256)])('is refused with 400 if it is "%s"', async (key) => {
    const stage = await service();
    const { status } = await send(stage, 'project', key);
    expect(status).toBe(400);
    expect(await countOf(stage, '/projects')).toBe(1);
  });

  test('of an application holds for its next access token', async () => {
    const stage = await service();
    const { accountId, api } = await accessToken(stage);
    const claims = claimsOf(stage.issuer, stage, accountId, { scope: SCOPES.join(' '), jti: randomUUID() });
    const next = client(stage.origin, await signed(claims, stage.issuer.key));
    const create = async (by: Tenant['api']) =>
      (await by.post('/projects', { name: 'Second' }, { headers: { 'idempotency-key': 'k' } })).body.data;
    const created = await create(api);
    expect(created.name).toBe('Second');
    expect(await create(next)).toEqual(created);
    const other = await accessToken(stage);
    expect((await create(other.api)).projectId).not.toBe(created.projectId);
  });

  test('is ignored by operations that create nothing', async () => {
    const { api, projectId } = await service();
    const headers = { 'idempotency-key': 'k' };
    const rename = (name: string) => api.put(`/projects/${projectId}`, { name }, { headers });
    expect((await rename('A')).body.data.name).toBe('A');
    expect((await rename('B')).body.data.name).toBe('B');
  });

  test('leaves no readable secret in the table', async () => {
    const stage = await service();
    const { runId } = await uploadRun(stage, { 'cart.spec.ts > sums': passed() });
    const { api } = await accessToken(stage);
    const share = () => api.post('/shares', { runId }, { headers: { 'idempotency-key': 'k' } });
    const first = await share();
    expect(first.status).toBe(201);
    expect((await share()).body).toEqual(first.body);
    const secret = new URL(first.body.data.url).hash.slice(1);
    expect(secret.length).toBeGreaterThan(20);
    const rows = JSON.stringify(await itemsOf(stage.environment, () => true));
    expect(rows).not.toContain(secret);
    expect(rows).toContain('sealedResult');
  });
});
