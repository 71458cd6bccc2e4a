import { beforeEach, describe, expect, test, vi } from 'vitest';
import { read } from '#test/harness/recording-readback.ts';
import { createRule } from '#test/harness/rules.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';
import { imported, junit, manyTests } from './reports.ts';

const QUARANTINE = 'quarantine=true&ciBuildId=b&branch=main';

const send = async (tenant: Tenant, report: string, query = QUARANTINE) => {
  const answer = await imported(tenant, report, query);
  const run = answer.state === 'recorded' ? await read(tenant.api, `/runs/${answer.runId}`) : undefined;
  return { answer, run };
};

const makeRule = (tenant: Tenant, condition: object, more: object = {}) =>
  createRule(tenant, { matcher: { op: 'AND', cond: [condition] }, ...more });

const TITLE = { type: 'title', op: 'eq', value: 'pays' };
const CART = junit({ 'cart.test.ts': { pays: 'failed', sums: 'passed', rounds: 'skipped' } });

describe('An import with `quarantine=true`', () => {
  test('records quarantined failures as pending, with their errors and their rule, so that the run passes', async () => {
    const tenant = await service();
    const { actionId } = await makeRule(tenant, TITLE);
    const { answer, run } = await send(tenant, CART);
    expect(answer.quarantine).toEqual({ failures: 1, quarantined: 1, others: [], problems: [] });
    expect(answer.files).toMatchObject([{ tests: { overall: 3, passes: 1, failures: 0, pending: 2 } }]);
    expect(run).toMatchObject({ completionState: 'COMPLETE', status: 'PASSED' });
    const instance = await read(tenant.api, `/instances/${run.specs[0].instanceId}`);
    expect(instance.results.tests[0]).toMatchObject({
      title: ['pays'],
      state: 'pending',
      attempts: [{ error: { message: expect.stringContaining('expected 2, received 3') } }],
    });
    const page = await tenant.reader.get(`/actions/${actionId}/tests?date_start=2026-11-01&date_end=2026-11-30`);
    expect(JSON.stringify(page.body)).toContain('pending');
  });

  test('names the failures that no rule quarantines, and fails the run', async () => {
    const tenant = await service();
    await makeRule(tenant, TITLE);
    const { answer, run } = await send(tenant, junit({ 'a.test.ts': { pays: 'failed', sums: 'failed' } }));
    expect(answer.quarantine).toMatchObject({ failures: 2, quarantined: 1, others: ['a.test.ts › sums'] });
    expect(run).toMatchObject({ status: 'FAILED', groups: [{ tests: { failures: 1, pending: 1 } }] });
  });

  test.each<[name: string, condition: object, more: object, query: string, quarantined: number]>([
    ['the error', { type: 'error_message', op: 'inc', value: ['received 3'] }, {}, '', 1],
    ['another error', { type: 'error_message', op: 'inc', value: ['received 4'] }, {}, '', 0],
    ['the file', { type: 'file', op: 'eq', value: 'cart.test.ts' }, {}, '', 1],
    ['the branch', { type: 'git_branch', op: 'eq', value: 'main' }, {}, '', 1],
    ['another branch', { type: 'git_branch', op: 'eq', value: 'next' }, {}, '', 0],
    ['the group', { type: 'project', op: 'eq', value: 'linux' }, {}, '&group=linux', 1],
    ['a rule that skips', TITLE, { action: [{ op: 'skip' }] }, '', 0],
  ])('applies rules as our reporters do: %s', async (_, condition, more, query, quarantined) => {
    const tenant = await service();
    await makeRule(tenant, condition, more);
    const { answer } = await send(tenant, CART, `${QUARANTINE}&dryRun=true${query}`);
    expect(answer.quarantine).toMatchObject({ failures: 1, quarantined });
  });

  test('applies no expired or disabled rule, and none of another project', async () => {
    const [tenant, other] = [await service(), await service()];
    await makeRule(other, TITLE);
    await makeRule(tenant, TITLE, { expiresAfter: new Date(Date.now() + 1000).toISOString() });
    const { actionId } = await makeRule(tenant, TITLE);
    await tenant.api.put(`/actions/${actionId}/disable`, {});
    clock.advance(2000);
    const { answer } = await send(tenant, CART);
    expect(answer.quarantine).toMatchObject({ failures: 1, quarantined: 0 });
  });

  test.each([
    ['a cut report', CART.slice(0, CART.indexOf('<testcase name="rounds"')), 'The report is cut'],
    ['a report without tests', '<testsuites/>', 'has no tests'],
    [
      'an error outside tests',
      '<testsuite><testcase name="pays"><failure/></testcase><error message="No database"/></testsuite>',
      'No database',
    ],
    [
      'failures without a test',
      '<testsuite failures="2"><testcase name="pays"><failure/></testcase></testsuite>',
      'failures',
    ],
  ])('names a problem of the report: %s', async (_, report, problem) => {
    const tenant = await service();
    await makeRule(tenant, TITLE);
    const { answer } = await send(tenant, report);
    expect(answer.quarantine.problems).toEqual([expect.stringContaining(problem)]);
  });

  test('An import without the parameter `quarantine` records every failure as such', async () => {
    const tenant = await service();
    await makeRule(tenant, TITLE);
    const { answer, run } = await send(tenant, CART, 'ciBuildId=b');
    expect(answer.quarantine).toBeUndefined();
    expect(run).toMatchObject({ status: 'FAILED' });
  });
});

describe('A large import with `quarantine=true`', () => {
  beforeEach(() => {
    vi.useRealTimers();
  });

  test('applies the rules in the background', async () => {
    const tenant = await service();
    await makeRule(tenant, { type: 'title', op: 'eq', value: 'test 0' });
    const { importId, runId } = await imported(tenant, manyTests({ specs: 6, tests: 100 }), QUARANTINE);
    await expect.poll(async () => (await read(tenant.api, `/imports/${importId}`)).state).toBe('recorded');
    const { quarantine } = await read(tenant.api, `/imports/${importId}`);
    expect(quarantine).toEqual({ failures: 6, quarantined: 6, others: [], problems: [] });
    expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({ status: 'PASSED' });
  });
});
