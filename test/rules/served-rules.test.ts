import { describe, expect, test } from 'vitest';
import { serveRules } from '#shared/rules/serve-rules.ts';
import { noise } from '#test/harness/noise.ts';
import { createRule, RULE } from '#test/harness/rules.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';

const pathOf = ({ projectId }: Pick<Tenant, 'projectId'>) => `@/rules/project/${projectId}`;
const create = (tenant: Tenant, more: object = {}) => {
  // Rules are sorted by creation time, so each rule needs a different millisecond.
  clock.advance(1);
  return createRule(tenant, more);
};
const namesFor = async (tenant: Tenant): Promise<string[]> =>
  (await tenant.api.get(pathOf(tenant))).body.rules.map(({ name }: { name: string }) => name);

describe('GET /rules/project/{projectId}', () => {
  test('returns the active rules for test runners in the order of their creation, with the dates of conditions in milliseconds', async () => {
    const tenant = await service();
    const value = { type: 'DateRange', start: '2026-01-01', end: '2026-02-01' };
    const first = await create(tenant, { matcher: { op: 'OR', cond: [{ type: 'title', op: 'eq', value }] } });
    const second = await create(tenant, { action: [{ op: 'tag', details: { tags: ['slow'] } }] });
    const { status, body } = await tenant.api.get(pathOf(tenant));
    const dates = { type: 'DateRange', start: Date.UTC(2026, 0, 1), end: Date.UTC(2026, 1, 1), inclusive: true };
    const { v, name, createdAt } = first;
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        rules: [
          {
            _id: first.actionId,
            v,
            name,
            action: RULE.action,
            createdAt,
            matcher: { op: 'OR', cond: [{ type: 'title', op: 'eq', value: dates }] },
          },
          {
            _id: second.actionId,
            v,
            name,
            action: second.action,
            createdAt: second.createdAt,
            matcher: RULE.matcher,
          },
        ],
      },
    });
  });

  test('omits disabled, archived and expired rules from the next request on', async () => {
    const tenant = await service();
    const disabled = await create(tenant, { name: 'disabled' });
    const archived = await create(tenant, { name: 'archived' });
    await create(tenant, { name: 'expiring', expiresAfter: '2026-11-02T10:00:05.004Z' });
    await create(tenant, { name: 'lasting' });
    expect(await namesFor(tenant)).toEqual(['disabled', 'archived', 'expiring', 'lasting']);
    await tenant.api.send('PUT', `/actions/${disabled.actionId}/disable`);
    await tenant.api.send('DELETE', `/actions/${archived.actionId}`);
    expect(await namesFor(tenant)).toEqual(['expiring', 'lasting']);
    clock.advance(4999);
    expect(await namesFor(tenant)).toEqual(['expiring', 'lasting']);
    clock.advance(1);
    expect(await namesFor(tenant)).toEqual(['lasting']);
    await tenant.api.send('PUT', `/actions/${disabled.actionId}/enable`);
    expect(await namesFor(tenant)).toEqual(['disabled', 'lasting']);
  });

  test('contains all of eight rules that were created concurrently', async () => {
    const tenant = await service();
    const names = Array.from({ length: 8 }, (_, index) => `rule ${index}`);
    await Promise.all(names.map((name) => create(tenant, { name })));
    expect((await namesFor(tenant)).sort()).toEqual(names);
  });

  test('returns 304 to a request with the current ETag, until a rule changes', async () => {
    const tenant = await service();
    const { actionId } = await create(tenant);
    const first = await tenant.api.get(pathOf(tenant));
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    const again = () => tenant.api.get(pathOf(tenant), { headers: { 'if-none-match': tag } });
    expect(await again()).toMatchObject({ status: 304 });
    await tenant.api.put(`/actions/${actionId}`, { name: 'Other' });
    expect(await again()).toMatchObject({ status: 200, body: { rules: [{ name: 'Other', v: 2 }] } });
  });

  test('shows no rule of another organization, and returns 404 for a project of another organization', async () => {
    const tenant = await service();
    const neighbour = await tenant.tenant('Neighbour');
    await create(neighbour);
    expect(await namesFor(tenant)).toEqual([]);
    expect(await tenant.api.get(pathOf(neighbour))).toMatchObject({
      status: 404,
      body: { error: 'Project not found' },
    });
  });

  test('costs at most one read unit, because a rule that would make all rules together too large is refused', async () => {
    const tenant = await service();
    const wide = (index: number) => ({
      name: `${index}`,
      matcher: { op: 'AND', cond: [{ type: 'title', op: 'eq', value: noise(450).toString('hex') }] },
    });
    let refused: { status: number; body: { error: string } } | undefined;
    let made = 0;
    for (; refused === undefined && made < 40; made += 1) {
      const answer = await tenant.api.post(`/actions?projectId=${tenant.projectId}`, { ...RULE, ...wide(made) });
      if (answer.status !== 201) refused = answer;
    }
    expect(refused).toMatchObject({ status: 409, body: { error: expect.stringContaining('too large in total') } });
    expect(made).toBeGreaterThan(10);
    const table = tenant.services.table.metered();
    const { rules } = await serveRules({ ...tenant.services, table }, tenant);
    expect(rules).toHaveLength(made - 1);
    expect(table.meter.readUnits).toBeLessThanOrEqual(1);
    const [first] = rules;
    expect((await tenant.api.send('PUT', `/actions/${first?._id}/disable`)).status).toBe(200);
  });
});
