import { describe, expect, test, vi } from 'vitest';
import { NO_COMMIT } from '#shared/model/runs/commit.ts';
import { query } from '#test/harness/client.ts';
import { runIdOf, runItem, storeRuns } from '#test/harness/history-runs.ts';
import { recordRun } from '#test/harness/recording.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { COMMIT, failed, flaky, passed, pending, skipped, testIdOf } from '#test/harness/recording-messages.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';
import { imported } from '#test/imports/reports.ts';
import { sampleFile } from '#test/reports/sources.ts';

const SUMS = 'cart.spec.ts > sums';
const FAILS = 'cart.spec.ts > fails';
const PAYS = 'pay.spec.ts > pays';

const record = (tenant: Tenant, ciBuildId: string, more: object = {}) => {
  clock.advance(1000);
  return uploadRun(tenant, { [SUMS]: passed() }, { ciBuildId, ...more });
};
/** Streams a run. A test whose state is `undefined` never reports a result. */
const stream = (tenant: Tenant, ciBuildId: string, tests: object, more: object = {}) => {
  clock.advance(1000);
  return recordRun(tenant, { retail: { tests: { ...tests } } }, { ciBuildId, ...more });
};
const onBranch = (branch: string) => ({ commit: { ...COMMIT, branch } });
const find = async ({ reader, projectId }: Tenant, ...pairs: (readonly [string, string])[]) =>
  reader.get(`/runs/find${query(['projectId', projectId], ...pairs)}`);

const sample = async (name: string) => new Uint8Array(await sampleFile(name));

let shared: ReturnType<typeof service> | undefined;

describe('GET /runs/find', () => {
  test('finds the run of a CI build and returns it like `GET /runs/{runId}`', async () => {
    const tenant = await service();
    const { runId } = await record(tenant, 'build 7/α');
    await record(tenant, 'build 8');
    const { status, body } = await find(tenant, ['ciBuildId', 'build 7/α']);
    expect(status).toBe(200);
    expect(body).toEqual((await tenant.reader.get(`/runs/${runId}`)).body);
  });

  test('finds the run in progress of a CI build, whatever branch and tags are given', async () => {
    const tenant = await service();
    const { runId } = await stream(tenant, 'build-1', { [SUMS]: undefined }, onBranch('main'));
    const found = await find(tenant, ['ciBuildId', 'build-1'], ['branch', 'other'], ['tags[]', 'none']);
    expect(found.body.data).toMatchObject({ runId, completionState: 'IN_PROGRESS' });
  });

  test('finds the latest completed run of a branch', async () => {
    const tenant = await service();
    await record(tenant, 'old', onBranch('main'));
    const { runId } = await record(tenant, 'latest', onBranch('main'));
    await record(tenant, 'other branch', onBranch('feature'));
    await stream(tenant, 'under way', { [SUMS]: undefined }, onBranch('main'));
    expect((await find(tenant, ['branch', 'main'])).body.data.runId).toBe(runId);
  });

  test('finds the latest completed run that has all given tags', async () => {
    const tenant = await service();
    const { runId } = await record(tenant, 'both', { tags: ['nightly', 'full'] });
    await record(tenant, 'one', { tags: ['nightly'] });
    expect((await find(tenant, ['tags[]', 'nightly'], ['tags[]', 'full'])).body.data.runId).toBe(runId);
    expect((await find(tenant, ['tags', 'full'], ['tags', 'nightly'])).body.data.runId).toBe(runId);
    expect((await find(tenant, ['tags[]', 'full'], ['tags[]', 'none'])).status).toBe(404);
  });

  test('finds the latest completed run by branch and tags among hundreds of others', async () => {
    const tenant = await service();
    const { runId } = await record(tenant, 'sought', { ...onBranch('release/1'), tags: ['full'] });
    const others = Array.from({ length: 300 }, (_, index) =>
      runItem(tenant, {
        runId: runIdOf(index),
        createdAt: Date.now() + 1 + index,
        tags: ['full'],
        commit: { ...NO_COMMIT, branch: 'main' },
      }),
    );
    await storeRuns(tenant.services, others);
    expect((await find(tenant, ['branch', 'main'], ['tags[]', 'full'])).body.data.runId).toBe(runIdOf(299));
    expect((await find(tenant, ['branch', 'release/*'], ['tags[]', 'full'])).body.data.runId).toBe(runId);
  });

  test('accepts `tag` in place of `tags[]`, and responds with a Deprecation header', async () => {
    const tenant = await service();
    const { runId } = await record(tenant, 'build-1', { tags: ['nightly'] });
    for (const name of ['tag', 'tag[]']) {
      const { body, headers } = await find(tenant, [name, 'nightly']);
      expect(body.data.runId).toBe(runId);
      expect(headers.get('deprecation')).toMatch(/^@\d{10}$/);
    }
  });

  test('adds the failed tests for Playwright’s `.last-run.json` if `pwLastRun` is set', async () => {
    const tenant = await service();
    const tests = { [SUMS]: passed(), [FAILS]: failed(), [PAYS]: flaky() };
    await stream(tenant, 'build-1', tests);
    const { body } = await find(tenant, ['ciBuildId', 'build-1'], ['pwLastRun', 'true']);
    expect(body.data.pwLastRun).toEqual({ status: 'failed', failedTests: [testIdOf('retail', FAILS)] });
    const without = await find(tenant, ['ciBuildId', 'build-1'], ['pwLastRun', 'false']);
    expect(without.body.data).not.toHaveProperty('pwLastRun');
  });

  test('lists no failed tests for a passed run', async () => {
    const tenant = await service();
    await stream(tenant, 'build-1', { [SUMS]: passed(), [FAILS]: pending() });
    const { body } = await find(tenant, ['ciBuildId', 'build-1'], ['pwLastRun', 'true']);
    expect(body.data.pwLastRun).toEqual({ status: 'passed', failedTests: [] });
  });

  test('lists the failed tests of a run in progress', async () => {
    const tenant = await service();
    await stream(tenant, 'build-1', { [FAILS]: failed(), [SUMS]: undefined });
    const { body } = await find(tenant, ['ciBuildId', 'build-1'], ['pwLastRun', 'true']);
    expect(body.data.pwLastRun).toEqual({ status: 'failed', failedTests: [testIdOf('retail', FAILS)] });
  });

  test('lists only failed tests, as Playwright does, and omits tests that could not run because another test failed', async () => {
    const tenant = await service();
    await stream(tenant, 'build-1', { [FAILS]: failed(), [SUMS]: skipped() });
    const { body } = await find(tenant, ['ciBuildId', 'build-1'], ['pwLastRun', 'true']);
    expect(body.data.pwLastRun).toEqual({ status: 'failed', failedTests: [testIdOf('retail', FAILS)] });
  });

  test('lists the failed tests of imported JSON and blob reports by the ids that Playwright gave them', async () => {
    const tenant = await service();
    vi.useRealTimers();
    await imported(tenant, await sample('playwright-json-1.65.1.json'), 'ciBuildId=json');
    await imported(tenant, await sample('playwright-blob-1.65.1.zip'), 'ciBuildId=blob');
    const { body } = await find(tenant, ['ciBuildId', 'json'], ['pwLastRun', 'true']);
    expect(body.data.pwLastRun.failedTests.length).toBeGreaterThan(2);
    for (const testId of body.data.pwLastRun.failedTests) expect(testId).toMatch(/^[0-9a-f]{20}-[0-9a-f]{20}$/);
    const blob = await find(tenant, ['ciBuildId', 'blob'], ['pwLastRun', 'true']);
    expect(blob.body.data.pwLastRun).toEqual(body.data.pwLastRun);
  });

  test.each(['playwright-junit-1.65.1.xml', 'ctrf-playwright-0.0.29.json', 'vitest-junit-5.1.1.xml'])(
    'omits `pwLastRun` for a report without Playwright’s ids: %s',
    async (report) => {
      const tenant = await service();
      vi.useRealTimers();
      await imported(tenant, await sample(report), 'ciBuildId=one');
      const { status, body } = await find(tenant, ['ciBuildId', 'one'], ['pwLastRun', 'true']);
      expect({ status, last: body.data.pwLastRun }).toEqual({ status: 200, last: undefined });
    },
  );

  test('returns 404 if no run matches or the project is unknown', async () => {
    const tenant = await service();
    const nothing = { status: 404, body: { status: 'FAILED', error: 'Run not found' } };
    expect(await find(tenant, ['ciBuildId', 'none'])).toMatchObject(nothing);
    expect(await find(tenant, ['branch', 'none'])).toMatchObject(nothing);
    const answer = await tenant.reader.get('/runs/find?projectId=zzzzzz&branch=main');
    expect(answer).toMatchObject({ status: 404, body: { error: 'Project not found' } });
  });

  test.each([
    ['', '`projectId` is required'],
    ['projectId=', '`projectId` must have at least 1 character'],
    ['projectId=p', 'Send `ciBuildId`, or `branch` and/or `tags[]`'],
    ['projectId=p&pwLastRun=true', 'Send `ciBuildId`, or `branch` and/or `tags[]`'],
    ['projectId=p&branch=', '`branch` must have at least 1 character'],
    ['projectId=p&branch=a&branch=b', '`branch` is given more than once. Send one value'],
    ['projectId=p&ciBuildId=b&pwLastRun=yes', '`pwLastRun` must be `true` or `false`'],
    ['projectId=p&tags[]=', '`tags[0]` must have at least 1 character'],
  ])('refuses %j and says what to send', async (parameters, problem) => {
    shared ??= service();
    const { reader } = await shared;
    const answer = await reader.get(`/runs/find?${parameters}`);
    expect(answer).toMatchObject({ status: 400, body: { status: 'FAILED', error: expect.stringContaining(problem) } });
  });
});
