import { describe, expect, test } from 'vitest';
import { auditRecords, getAuditSpan } from '#shared/model/organizations/audit-record.ts';
import { createRule, RULE, rulesPath } from '#test/harness/rules.ts';
import { clock, service } from '#test/harness/service.ts';

describe('PUT /actions/{actionId}', () => {
  test('A change of an action updates only the properties that were sent, and increments the version once', async () => {
    const tenant = await service();
    const before = await createRule(tenant, { description: 'Old' });
    const path = `/actions/${before.actionId}`;
    clock.advance(1000);
    const { body } = await tenant.api.put(path, { description: null });
    const updated = { v: 2, updatedAt: '2026-11-02T10:00:01.000Z', updatedBy: 'CI' };
    expect(body.data).toEqual({ ...before, ...updated, description: null });
    clock.advance(1000);
    expect((await tenant.api.put(path, { description: null, name: before.name })).body).toEqual(body);
    const all = ['Name 1', 'Name 2', 'Name 3'].map((name) => tenant.api.put(path, { name }));
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await tenant.reader.get(path)).body.data.v).toBe(5);
  });

  test('A request that sends the current conditions and actions of a rule again changes nothing', async () => {
    const tenant = await service();
    const { actionId, name, action, matcher } = await createRule(tenant, {
      action: [{ op: 'tag', details: { tags: ['slow'] } }],
    });
    const { body } = await tenant.api.put(`/actions/${actionId}`, { name, action, matcher });
    expect(body.data).toMatchObject({ v: 1, action, matcher });
  });

  test.each([
    [{}, 'Send at least one of'],
    [{ colour: 'red' }, 'Send at least one of'],
    [{ name: null }, '`name` must be a string'],
    [{ expiresAfter: '2026-01-01' }, 'must be in the future'],
  ])('A change of an action to %j is refused and changes nothing', async (wrong, advice) => {
    const tenant = await service();
    const before = await createRule(tenant);
    const answer = await tenant.api.put(`/actions/${before.actionId}`, wrong);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(advice) } });
    expect((await tenant.reader.get(`/actions/${before.actionId}`)).body.data).toEqual(before);
  });
});

describe('A rule changed through /actions', () => {
  test('A rule can be created, read, disabled, enabled and archived through the API', async () => {
    const tenant = await service();
    const created = await tenant.api.post(rulesPath(tenant), RULE);
    expect(created).toMatchObject({ status: 201, body: { data: { name: RULE.name, status: 'active' } } });
    const path = `/actions/${created.body.data.actionId}`;
    const states = [];
    for (const [method, suffix] of [
      ['GET', ''],
      ['PUT', '/disable'],
      ['PUT', '/enable'],
      ['DELETE', ''],
      ['GET', ''],
    ] as const) {
      const { status, body } = await tenant.api.send(method, path + suffix);
      states.push([status, body.data.status]);
    }
    expect(states).toEqual([
      [200, 'active'],
      [200, 'disabled'],
      [200, 'active'],
      [200, 'archived'],
      [200, 'archived'],
    ]);
  });

  test('Concurrent requests for the same status change a rule only once', async () => {
    const tenant = await service();
    const path = `/actions/${(await createRule(tenant)).actionId}`;
    const send = (suffix: string) => Promise.all([1, 2, 3].map(() => tenant.api.send('PUT', path + suffix)));
    expect((await send('/disable')).map(({ body }) => body.data.v)).toEqual([2, 2, 2]);
    expect((await send('/enable')).map(({ body }) => body.data.v)).toEqual([3, 3, 3]);
  });

  test('An archived rule can be archived again, but not changed, enabled or disabled', async () => {
    const tenant = await service();
    const path = `/actions/${(await createRule(tenant)).actionId}`;
    const first = await tenant.api.send('DELETE', path);
    clock.advance(1000);
    expect((await tenant.api.send('DELETE', path)).body).toEqual(first.body);
    const changes = [
      await tenant.api.put(path, { name: 'Other' }),
      await tenant.api.send('PUT', `${path}/enable`),
      await tenant.api.send('PUT', `${path}/disable`),
    ];
    for (const answer of changes)
      expect(answer).toMatchObject({ status: 409, body: { error: expect.stringContaining('archived') } });
  });

  test('Each change of a rule leaves one audit record that names the author of the change', async () => {
    const tenant = await service();
    const { actionId } = await createRule(tenant);
    for (const body of [{ name: 'Other' }, { name: 'Other' }]) await tenant.api.put(`/actions/${actionId}`, body);
    for (const suffix of ['/disable', '/disable', '/enable'])
      await tenant.api.send('PUT', `/actions/${actionId}${suffix}`);
    await tenant.api.send('DELETE', `/actions/${actionId}`);
    const records = await tenant.services.table.queryAll(auditRecords, getAuditSpan(tenant));
    const own = records.filter(({ subject }) => subject === actionId);
    expect(own.map(({ action, actor }) => `${action} by ${actor}`).sort()).toEqual(
      ['created', 'changed', 'disabled', 'enabled', 'archived'].map((verb) => `action ${verb} by api:CI`).sort(),
    );
  });
});
