import { describe, expect, test } from 'vitest';
import type { Answer } from '#test/harness/client.ts';
import { ERROR, FAILING, FLAKY, failingRun, GREEN, SPEC, sharedFailingRun } from '#test/harness/failing-run.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { attempt, COMMIT, error, failed, passed, testIdOf } from '#test/harness/recording-messages.ts';
import { service, type Tenant } from '#test/harness/service.ts';

const own = (of: Tenant & { runId: string; instanceId: string }, name: string) => ({
  projectId: of.projectId,
  runId: of.runId,
  instanceId: of.instanceId,
  testId: testIdOf('retail', name),
});

describe('GET /context at test level', () => {
  test('returns the failure context (§2.4) of the last failed attempt', async () => {
    const recorded = await sharedFailingRun();
    const { status, body } = await recorded.context(
      `instance_id=${recorded.instanceId}&test_id=${testIdOf('retail', FAILING)}`,
    );
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      level: 'test',
      spec: SPEC,
      test: { title: ['cart', 'keeps its articles'], status: 'failed', attempt: 1, totalAttempts: 2, duration: 100 },
      error: { message: ERROR.message, location: ERROR.location, snippet: ERROR.snippet },
      otherAttempts: [
        { attempt: 0, status: 'failed', sameError: true, error: { message: 'Error: expected 2, received 17' } },
      ],
      errorContext: null,
      traceErrorAnalysis: null,
      failureContext: {
        failedStepIndex: 3,
        stepBefore: { title: 'Navigate' },
        failedStep: { title: 'Expect "toBe"' },
        stepAfter: { title: 'After Hooks' },
      },
      stdout: ['two ', 'pieces\n'],
      stderr: ['careful\n'],
      assets: { totals: { traces: 0, screenshots: 0, videos: 0, attachments: 0 } },
      meta: { ...own(recorded, FAILING), attempt: 1 },
      environment: { framework: { type: 'pw' }, platform: { osName: 'linux' }, project: 'retail' },
      git: { repository: COMMIT.remoteOrigin, branch: 'main', sha: COMMIT.sha, pullRequest: null },
    });
    expect(body.data.steps.map(({ title }: { title: string }) => title)).toEqual([
      'Before Hooks',
      'opens the cart',
      'After Hooks',
    ]);
  });

  test('returns the requested attempt, or 404 if the attempt does not exist', async () => {
    const recorded = await sharedFailingRun();
    const asked = `instance_id=${recorded.instanceId}&test_id=${testIdOf('retail', FAILING)}`;
    const { body } = await recorded.context(`${asked}&attempt=0`);
    expect(body.data).toMatchObject({ test: { attempt: 0 }, error: { message: 'Error: expected 2, received 17' } });
    expect(await recorded.context(`${asked}&attempt=2`)).toMatchObject({ status: 404 });
  });

  test('shows the failed attempt of a flaky test by default', async () => {
    const recorded = await sharedFailingRun();
    const { body } = await recorded.context(`instance_id=${recorded.instanceId}&test_id=${testIdOf('retail', FLAKY)}`);
    expect(body.data).toMatchObject({ test: { status: 'passed', attempt: 0, totalAttempts: 2 }, error: ERROR });
  });

  test('returns a passed test without an error and without steps', async () => {
    const recorded = await sharedFailingRun();
    const { body } = await recorded.context(`instance_id=${recorded.instanceId}&test_id=${testIdOf('retail', GREEN)}`);
    expect(body.data).toMatchObject({ test: { status: 'passed' }, error: null, failureContext: null, steps: [] });
  });

  test('ignores `run_id` in a request for a single test', async () => {
    const recorded = await sharedFailingRun();
    const asked = `instance_id=${recorded.instanceId}&test_id=${testIdOf('retail', FAILING)}`;
    expect((await recorded.context(`${asked}&run_id=nonsense`)).status).toBe(200);
  });
});

describe('GET /context at run and instance level', () => {
  test('lists the failed tests of a run, followed by its flaky tests on request', async () => {
    const recorded = await sharedFailingRun();
    const { body } = await recorded.context(`run_id=${recorded.runId}`);
    expect(body.data).toMatchObject({
      level: 'run',
      runId: recorded.runId,
      status: 'FAILED',
      totalFailedTests: 1,
      total: 1,
      nextPage: false,
      specs: [{ spec: SPEC, groupId: 'retail', failed: 1, flaky: 1, skipped: 0 }],
    });
    expect(body.data.totalFlakyTests).toBeUndefined();
    expect(body.data.list).toMatchObject([{ testId: testIdOf('retail', FAILING), error: ERROR }]);
    const { body: both } = await recorded.context(`run_id=${recorded.runId}&include_flaky=true`);
    const ids = both.data.list.map(({ testId }: { testId: string }) => testId);
    expect(ids).toEqual([FAILING, FLAKY].map((name) => testIdOf('retail', name)));
    expect(both.data).toMatchObject({ total: 2, totalFailedTests: 1, totalFlakyTests: 1 });
  });

  test('lists the failed tests of one spec file at instance level', async () => {
    const recorded = await sharedFailingRun();
    const { body } = await recorded.context(`run_id=${recorded.runId}&instance_id=${recorded.instanceId}`);
    expect(body.data).toMatchObject({ level: 'instance', spec: SPEC, total: 1, instanceId: recorded.instanceId });
    expect(body.data.list).toMatchObject([{ testId: testIdOf('retail', FAILING) }]);
  });

  test('returns each failed test once across all pages', async () => {
    const tenant = await service();
    const names = Array.from({ length: 23 }, (_, index) => `${index % 3}.spec.ts > fails ${index}`);
    const { runId } = await uploadRun(tenant, Object.fromEntries(names.map((name) => [name, failed()])));
    const seen: string[] = [];
    let page: number | false = 0;
    while (page !== false) {
      const { body }: Answer = await tenant.reader.get(`/context?run_id=${runId}&limit=5&page=${page}`);
      const { data } = body;
      expect(data.total).toBe(23);
      seen.push(...data.list.map(({ testId }: { testId: string }) => testId));
      page = data.nextPage;
    }
    expect(seen).toHaveLength(23);
    expect(new Set(seen)).toEqual(new Set(names.map((name) => testIdOf('retail', name))));
    expect((await tenant.reader.get(`/context?run_id=${runId}&page=99`)).body.data).toMatchObject({
      list: [],
      total: 23,
    });
  });

  test('omits a failed test whose result a later message changes to passed', async () => {
    const recorded = await failingRun();
    const record = recorded.records[`retail ${FAILING}`];
    expect((await recorded.api.put(`@/test-record/${record}`, { ...passed(), _t: 9 })).status).toBe(200);
    expect((await recorded.context(`run_id=${recorded.runId}`)).body.data).toMatchObject({ list: [], total: 0 });
    const { body } = await recorded.context(
      `instance_id=${recorded.instanceId}&test_id=${testIdOf('retail', FAILING)}`,
    );
    expect(body.data).toMatchObject({ error: null, steps: [] });
  });
});

test('The further errors of an attempt follow its first one, with message and place', async () => {
  const tenant = await service();
  const errors = ['the first', `second ${'x'.repeat(500)}`, 'third'].map((text) => error(`Error: ${text}`));
  const attempts = [attempt('failed', { attempt: 0, errors })];
  const run = await uploadRun(tenant, { 'cart.spec.ts > sums': { ...failed(), attempts } });
  const ids = `instance_id=${run.instances['retail cart.spec.ts']}&test_id=${testIdOf('retail', 'cart.spec.ts > sums')}`;
  const { body } = await tenant.api.get(`/context?${ids}`);
  expect(body.data.error.message).toBe('Error: the first');
  expect(body.data.furtherErrors).toEqual(
    errors.slice(1).map(({ message, location, snippet }) => ({
      message,
      snippet,
      location: expect.objectContaining({ line: location?.line }),
    })),
  );
  const short = (await tenant.api.get(`/context?${ids}&detail=compact`)).body.data;
  expect(short.furtherErrors[0]).not.toHaveProperty('snippet');
  const compact = (await tenant.api.get(`/context?${ids}&detail=compact&format=md`)).body;
  expect(compact).toContain('## Further Errors');
  expect(compact).toContain('Error: third');
  expect(compact).toContain('more characters]');
  expect((await tenant.api.get(`/context?${ids}&detail=summary`)).body.data).not.toHaveProperty('furtherErrors');
  expect((await tenant.api.get(`/context?run_id=${run.runId}&format=md`)).body).toContain('And 2 more errors');
});
