import { describe, expect, test } from 'vitest';
import { noise } from '#test/harness/noise.ts';
import { createRule, RULE, rulesPath } from '#test/harness/rules.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';

const pathOf = (actionId: string): string => `/actions/${actionId}`;
const served = async ({ api, projectId }: Pick<Tenant, 'api' | 'projectId'>) =>
  (await api.get(`@/rules/project/${projectId}`)).body.rules;

describe('Concurrent changes of one rule', () => {
  test('are all kept if they affect different properties, and each change increments the version', async () => {
    const tenant = await service();
    const { actionId } = await createRule(tenant);
    const changes = [
      { name: 'Other name' },
      { description: 'A description' },
      { expiresAfter: '2027-01-01T00:00:00.000Z' },
      { action: [{ op: 'skip' }] },
    ];
    const answers = await Promise.all(changes.map((change) => tenant.api.put(pathOf(actionId), change)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.map(({ body }) => body.data.v).sort()).toEqual([2, 3, 4, 5]);
    const { body } = await tenant.reader.get(pathOf(actionId));
    expect(body.data).toMatchObject({ v: 5, ...Object.assign({}, ...changes) });
    expect(await served(tenant)).toMatchObject([{ _id: actionId, v: 5, name: 'Other name' }]);
  });

  test('After concurrent changes of its status, a rule is sent to test runners if and only if the REST API reports it as active', async () => {
    const tenant = await service();
    const { actionId } = await createRule(tenant);
    const sent = ['/disable', '/enable', '/disable', '/enable'].map((suffix) =>
      tenant.api.send('PUT', pathOf(actionId) + suffix),
    );
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { status } = (await tenant.reader.get(pathOf(actionId))).body.data;
    expect(await served(tenant)).toHaveLength(status === 'active' ? 1 : 0);
  });

  test('If one of several concurrent changes deletes a rule, the rule is archived, and test runners do not get it', async () => {
    const tenant = await service();
    const { actionId } = await createRule(tenant);
    const [deleted, ...changed] = await Promise.all([
      tenant.api.send('DELETE', pathOf(actionId)),
      ...['One', 'Two', 'Three'].map((name) => tenant.api.put(pathOf(actionId), { name })),
    ]);
    expect(deleted).toMatchObject({ status: 200 });
    expect(changed.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect((await tenant.reader.get(pathOf(actionId))).body.data.status).toBe('archived');
    expect(await served(tenant)).toEqual([]);
  });
});

describe('A rule with unusual texts or ids', () => {
  test.each([
    '"><script>alert(1)</script>',
    '../../etc/passwd',
    'חנות C#\u200f',
    'Zoë 🎭 ünïcode',
    '{{7*7}} %s %d',
    '__proto__',
  ])(
    'A rule with the name %s is stored and sent to test runners unchanged, and can be found by its name',
    async (text) => {
      const tenant = await service();
      const cond = [{ type: 'title', op: 'in', value: [text, 'other'] }];
      const { actionId } = await createRule(tenant, { name: text, description: text, matcher: { op: 'OR', cond } });
      expect((await tenant.reader.get(pathOf(actionId))).body.data).toMatchObject({ name: text, description: text });
      expect(await served(tenant)).toMatchObject([{ name: text, matcher: { op: 'OR', cond } }]);
      const found = await tenant.reader.get(`${rulesPath(tenant)}&search=${encodeURIComponent(text)}`);
      expect(found.body.data).toHaveLength(1);
    },
  );

  test('A rule with a description of 8 MB or with 200 nested matchers is refused, and is not stored', async () => {
    const tenant = await service();
    const huge = await tenant.api.post(rulesPath(tenant), { ...RULE, description: noise(4_000_000).toString('hex') });
    expect([400, 413]).toContain(huge.status);
    let deep: object = {};
    for (let level = 0; level < 200; level += 1) deep = { matcher: deep };
    expect((await tenant.api.post(rulesPath(tenant), { ...RULE, ...deep })).status).toBe(400);
    expect((await tenant.reader.get(rulesPath(tenant))).body.data).toEqual([]);
  });

  test('A malformed rule id returns 404 or 400', async () => {
    const tenant = await service();
    const { actionId } = await createRule(tenant);
    clock.advance(1);
    const odd = [`${actionId}x`, actionId.slice(0, -1), actionId.toUpperCase(), 'a', '..%2F..', '0'.repeat(300), '%00'];
    for (const id of odd) {
      const { status } = await tenant.api.get(pathOf(id));
      expect({ id, isRefused: status === 404 || status === 400 }).toEqual({ id, isRefused: true });
    }
  });
});
