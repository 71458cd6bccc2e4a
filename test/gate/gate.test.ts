import { describe, expect, test } from 'vitest';
import { batch, runOf, runWith } from '#test/harness/comparisons.ts';
import { failed, passed, pending } from '#test/harness/recording-messages.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';
import { imported, junit } from '#test/imports/reports.ts';

const SUMS = 'cart.spec.ts > sums';
const PAYS = 'cart.spec.ts > pays';
const ROUNDS = 'tax.spec.ts > rounds';

const judge = async ({ reader }: Tenant, runId: string, query = '') => {
  const { status, body } = await reader.get(`/runs/${runId}/gate?${query}`);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.data;
};

const reasonsOf = ({ reasons }: { readonly reasons: readonly { readonly message: string }[] }) =>
  reasons.map(({ message }) => message);

describe('The gate of a run', () => {
  test('is open if each failure is known from the base, and each test of the base has a result, also one that is skipped now', async () => {
    const tenant = await service();
    const base = await batch(tenant, 'base', { [SUMS]: passed(), [PAYS]: failed(), [ROUNDS]: passed() });
    const { runId } = await batch(
      tenant,
      'change',
      { [SUMS]: passed(), [PAYS]: failed(), [ROUNDS]: pending() },
      'next',
    );
    expect(await judge(tenant, runId)).toMatchObject({
      state: 'passed',
      rules: ['noNewFailures', 'noMissingTests'],
      reasons: [],
      base: { runId: base.runId },
      runUrl: expect.stringContaining(`/runs/${runId}`),
      baseUrl: expect.stringContaining(`/runs/${base.runId}`),
    });
  });

  test('names new failures and missing tests, each by its rule', async () => {
    const tenant = await service();
    await batch(tenant, 'base', { [SUMS]: passed(), [PAYS]: passed(), [ROUNDS]: passed() });
    const { runId } = await batch(tenant, 'change', { [SUMS]: failed() }, 'next');
    const newFailure = { rule: 'noNewFailures', message: '1 new failure', details: ['cart.spec.ts › sums'] };
    const missing = {
      rule: 'noMissingTests',
      message: '2 missing tests',
      details: ['cart.spec.ts (1 of 2: pays)', 'tax.spec.ts (all 1)'],
    };
    expect(await judge(tenant, runId)).toMatchObject({ state: 'failed', reasons: [newFailure, missing] });
    expect(await judge(tenant, runId, 'rules[]=noMissingTests')).toMatchObject({ reasons: [missing] });
  });

  test('does not call a renamed test missing', async () => {
    const tenant = await service();
    await batch(tenant, 'base', { [SUMS]: passed(), [PAYS]: passed() });
    const { runId } = await batch(
      tenant,
      'change',
      { [SUMS]: passed(), 'cart.spec.ts > pays later': passed() },
      'next',
    );
    expect(await judge(tenant, runId)).toMatchObject({ state: 'passed' });
  });

  test('is closed without a base for failures and for what may be missing, except for the first run of the default branch', async () => {
    const tenant = await service();
    const first = await batch(tenant, 'first', { [SUMS]: failed() }, 'next');
    expect(reasonsOf(await judge(tenant, first.runId))).toEqual([
      '1 failure without a base',
      'No complete run of main with the same groups precedes this one',
    ]);
    const main = await batch(tenant, 'main', { [SUMS]: passed() });
    expect(await judge(tenant, main.runId)).toMatchObject({ state: 'passed', base: null });
    // Another set of groups has no base, either: a job may be missing.
    const other = await runWith(tenant, 'other', { wholesale: { tests: { [SUMS]: passed() } } }, 'next');
    expect(reasonsOf(await judge(tenant, other.runId))).toEqual([
      'No complete run of main with the same groups precedes this one',
    ]);
  });

  test('compares with an earlier run if the base was deleted, and with the run that the request names', async () => {
    const tenant = await service();
    const old = await batch(tenant, 'old', { [SUMS]: passed() });
    const base = await batch(tenant, 'base', { [SUMS]: failed() });
    const { runId } = await batch(tenant, 'change', { [SUMS]: failed() }, 'next');
    expect(await judge(tenant, runId)).toMatchObject({ state: 'passed', base: { runId: base.runId } });
    expect(await judge(tenant, runId, `base_run_id=${old.runId}`)).toMatchObject({ state: 'failed' });
    await tenant.api.send('DELETE', `/runs/${base.runId}`);
    expect(await judge(tenant, runId)).toMatchObject({ state: 'failed', base: { runId: old.runId } });
    const gone = await tenant.reader.get(`/runs/${runId}/gate?base_run_id=${base.runId}`);
    expect(gone.status).toBe(404);
  });

  test('waits for a run in progress, and is closed for one that was cancelled or timed out', async () => {
    const tenant = await service();
    const { runId } = await runOf(tenant, 'open', { [SUMS]: passed(), [ROUNDS]: undefined });
    expect(await judge(tenant, runId)).toMatchObject({ state: 'waiting' });
    const other = await runOf(tenant, 'other', { [SUMS]: passed(), [ROUNDS]: undefined });
    await tenant.api.put(`/runs/${other.runId}/cancel`, {});
    expect(await judge(tenant, other.runId)).toMatchObject({
      state: 'failed',
      reasons: [{ message: 'The run was cancelled' }],
    });
    clock.advance(24 * 3600 * 1000);
    await tenant.runSchedule('timeOutRuns');
    const timedOut = await judge(tenant, runId);
    expect(timedOut.state).toBe('failed');
    expect(reasonsOf(timedOut)).toContain('The run timed out');
  });

  test('is closed for a run that failed for another reason than its tests', async () => {
    const tenant = await service();
    const report = junit({ 'cart.test.ts': { sums: 'passed' } });
    const { runId } = await imported(tenant, report.slice(0, -20), 'branch=main&ciBuildId=cut');
    expect(await judge(tenant, runId)).toMatchObject({
      state: 'failed',
      reasons: [
        { rule: null, message: 'The run failed for another reason than its tests', details: [expect.any(String)] },
      ],
    });
  });

  test('judges all tries of a build together', async () => {
    const tenant = await service();
    const all = junit({ 'cart.test.ts': { sums: 'passed', pays: 'passed' } });
    await imported(tenant, all, 'branch=main&ciBuildId=base');
    clock.advance(1000);
    await imported(
      tenant,
      junit({ 'cart.test.ts': { sums: 'passed', pays: 'failed' } }),
      'branch=next&ciBuildId=b&try=1',
    );
    clock.advance(1000);
    const again = junit({ 'cart.test.ts': { pays: 'passed' } });
    const { runId } = await imported(tenant, again, 'branch=next&ciBuildId=b&try=2');
    expect(await judge(tenant, runId)).toMatchObject({ state: 'passed', reasons: [] });
  });

  test('applies only the rules of the project, if it has some', async () => {
    const tenant = await service();
    await tenant.api.put(`/projects/${tenant.projectId}`, { gateMissingTests: true });
    await batch(tenant, 'base', { [SUMS]: passed() });
    const { runId } = await batch(tenant, 'change', { [SUMS]: failed() }, 'next');
    expect(await judge(tenant, runId)).toMatchObject({ state: 'passed', rules: ['noMissingTests'] });
  });

  test('tells nothing about a run of another organization', async () => {
    const [tenant, other] = [await service(), await service()];
    const { runId } = await batch(tenant, 'base', { [SUMS]: passed() });
    expect((await other.reader.get(`/runs/${runId}/gate`)).status).toBe(404);
  });
});
