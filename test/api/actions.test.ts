import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { createRule as storeRule } from '#shared/rules/create-rule.ts';
import { NewAction } from '#shared/rules/rule-wire.ts';
import { createRule, RULE, rulesPath } from '#test/harness/rules.ts';
import { clock, service } from '#test/harness/service.ts';

describe('POST /actions', () => {
  test('returns the rule as requested, together with its creator', async () => {
    const tenant = await service();
    const input = {
      name: 'Payment',
      description: 'Until the sandbox works',
      action: [{ op: 'skip' }, { op: 'tag', details: { tags: ['payment', 'known'] } }],
      matcher: {
        op: 'OR',
        cond: [
          { type: 'title', op: 'eq', value: [{ type: 'RegexPattern', pattern: '^pays' }, 'refunds'] },
          { type: 'tag', op: 'notIn', value: ['smoke'] },
        ],
      },
      expiresAfter: '2026-11-09T10:00:00.000Z',
    };
    const { status, body } = await tenant.api.post(rulesPath(tenant), input);
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        status: 'OK',
        data: {
          ...input,
          actionId: expect.stringMatching(/^[0-9a-f]{24}$/),
          projectId: tenant.projectId,
          v: 1,
          status: 'active',
          createdAt: '2026-11-02T10:00:00.000Z',
          createdBy: 'CI',
        },
      },
    });
    expect((await tenant.reader.get(`/actions/${body.data.actionId}`)).body).toEqual(body);
  });

  test('stores an empty string as the value of operators that need no value, because the reporter ignores conditions without a value', async () => {
    const cond = [
      { type: 'git_branch', op: 'any' },
      { type: 'tag', op: 'empty', value: null },
    ];
    const { matcher } = await createRule(await service(), { matcher: { op: 'AND', cond } });
    expect(matcher.cond).toEqual(cond.map((one) => ({ ...one, value: '' })));
  });

  test('returns the dates of a condition as the ISO 8601 strings that were sent', async () => {
    const value = {
      type: 'DateRange',
      start: '2026-01-01T00:00:00.000Z',
      end: '2026-02-01T00:00:00.000Z',
      inclusive: false,
    };
    const { matcher } = await createRule(await service(), {
      matcher: { op: 'AND', cond: [{ type: 'title', op: 'eq', value }] },
    });
    expect(matcher.cond[0].value).toEqual(value);
  });

  const condition = (one: object) => ({ matcher: { op: 'AND', cond: [one] } });
  test.each([
    [{ name: '' }, 'at least 1 character'],
    [{ name: 'x'.repeat(256) }, 'at most 255 characters'],
    [{ name: 'a\u0007b' }, 'control characters'],
    [{ description: 'x'.repeat(1001) }, 'at most 1000 characters'],
    [{ action: [] }, 'at least 1 element'],
    [{ action: [{ op: 'retry' }] }, '`action[0].op`'],
    [{ action: [{ op: 'skip' }, { op: 'skip' }] }, 'each `op` at most once'],
    [{ action: [{ op: 'tag' }] }, '`action[0].details` is required'],
    [{ action: [{ op: 'tag', details: { tags: Array(11).fill('a') } }] }, 'at most 10 elements'],
    [{ matcher: { op: 'NOT', cond: [] } }, 'AND, OR'],
    [{ matcher: { op: 'AND', cond: [] } }, 'at least 1 element'],
    [condition({ type: 'colour', op: 'eq', value: 'a' }), 'testId, project, title'],
    [condition({ type: 'title', op: 'like', value: 'a' }), 'eq, neq, any, empty, in'],
    [condition({ type: 'title', op: 'eq' }), '`matcher.cond[0].value` is required with `eq`'],
    [condition({ type: 'title', op: 'eq', value: null }), 'is required with `eq`'],
    [condition({ type: 'title', op: 'in', value: [] }), '`matcher.cond[0].value`'],
    [condition({ type: 'testId', op: 'inc', value: 'a' }), 'for `testId`'],
    [condition({ type: 'project', op: 'notIncAll', value: 'a' }), 'for `project`'],
    [condition({ type: 'tag', op: 'eq', value: { type: 'RegexPattern', pattern: 'a' } }), 'for `tag`'],
    [condition({ type: 'title', op: 'eq', value: { type: 'RegexPattern', pattern: '(a+)+$' } }), 'runners ignore it'],
    [condition({ type: 'title', op: 'eq', value: { type: 'RegexPattern', pattern: '(' } }), 'not a valid JavaScript'],
    [condition({ type: 'title', op: 'eq', value: { type: 'RegexPattern', pattern: 'a'.repeat(251) } }), 'at most 250'],
    [{ matcher: { op: 'AND', cond: Array(21).fill({ type: 'title', op: 'any' }) } }, 'at most 20 elements'],
    [condition({ type: 'title', op: 'in', value: Array(49).fill('x'.repeat(999)) }), 'at most 8000 bytes'],
    [{ expiresAfter: '2026-11-02T10:00:00Z' }, 'must be in the future'],
    [{ expiresAfter: 'tomorrow' }, 'ISO 8601'],
  ])('refuses %j and says what to send', async (wrong, advice) => {
    const tenant = await service();
    const answer = await tenant.api.post(rulesPath(tenant), { ...RULE, ...wrong });
    expect(answer).toMatchObject({ status: 400, body: { status: 'FAILED', error: expect.stringContaining(advice) } });
    expect((await tenant.reader.get(rulesPath(tenant))).body.data).toEqual([]);
  });

  test('allows at most 200 rules per project, even for concurrent requests, and allows another one after a rule is archived', async () => {
    const tenant = await service();
    const first = await createRule(tenant);
    const { services, organizationId, projectId } = tenant;
    const creation = { organizationId, projectId, actor: OPERATOR, input: NewAction.parse(RULE) };
    for (let made = 1; made < 197; made += 1) await storeRule(services, creation);
    const answers = await Promise.all(Array.from({ length: 5 }, () => tenant.api.post(rulesPath(tenant), RULE)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.find(({ status }) => status !== 201)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('maximum of 200 actions. Archive') },
    });
    await Promise.all([1, 2].map(() => tenant.api.send('DELETE', `/actions/${first.actionId}`)));
    const again = [await tenant.api.post(rulesPath(tenant), RULE), await tenant.api.post(rulesPath(tenant), RULE)];
    expect(again.map(({ status }) => status)).toEqual([201, 409]);
  });
});

describe('GET /actions', () => {
  test('lists only the rules of the project, newest first, filtered by status and by part of the name', async () => {
    const tenant = await service();
    const end = '2026-11-02T11:00:00Z';
    const later = '2026-12-02T11:00:00Z';
    const made = [];
    for (const more of [{ name: 'Archived' }, { name: 'Disabled' }, { expiresAfter: end }, { expiresAfter: later }]) {
      made.push((await createRule(tenant, more)).actionId);
      clock.advance(1);
    }
    await createRule(await tenant.tenant());
    await tenant.api.send('DELETE', `/actions/${made[0]}`);
    await tenant.api.send('PUT', `/actions/${made[1]}/disable`);
    const idsOf = async (query = '') =>
      (await tenant.reader.get(rulesPath(tenant) + query)).body.data.map(
        ({ actionId }: { actionId: string }) => actionId,
      );
    expect(await idsOf()).toEqual([made[3], made[2], made[1], made[0]]);
    expect(await idsOf('&status=active')).toEqual([made[3], made[2]]);
    clock.advance(3_600_000);
    expect(await idsOf('&status=active')).toEqual([made[3]]);
    expect(await idsOf('&status=expired&status=archived')).toEqual([made[2], made[0]]);
    expect(await idsOf('&status[]=disabled')).toEqual([made[1]]);
    expect(await idsOf('&search=ARCH')).toEqual([made[0]]);
  });
});
