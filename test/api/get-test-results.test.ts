import { describe, expect, test } from 'vitest';
import { query } from '#test/harness/client.ts';
import { historyItem, SIGNATURE, storeHistory } from '#test/harness/history.ts';
import { recordRun } from '#test/harness/recording.ts';
import {
  attempt,
  COMMIT,
  error,
  failed,
  flaky,
  passed,
  pending,
  skipped,
  testIdOf,
} from '#test/harness/recording-messages.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';

const SPEC = 'cart.spec.ts';
const TEST = `${SPEC} > cart > sums`;
const RANGE = [
  ['date_start', '2026-11-01'],
  ['date_end', '2026-12-01'],
] as const;

async function historyOf({ api, reader, projectId }: Tenant, title = ['cart', 'sums']) {
  const asked = await api.post('/signature/test', { projectId, specFilePath: SPEC, testTitle: title });
  const answer = await reader.get(`/test-results/${asked.body.data.signature}${query(...RANGE)}`);
  expect(answer).toMatchObject({ status: 200 });
  return { ...answer.body, signature: asked.body.data.signature };
}

describe('GET /test-results/{signature}', () => {
  test('returns every property of a test result, as specified in §2.2', async () => {
    const tenant = await service();
    clock.advance(3000);
    const first = attempt('timedOut', {
      startTime: '2026-11-02T10:00:01.500Z',
      duration: 300,
      errors: [error('Error: late')],
    });
    const second = attempt('passed', { startTime: '2026-11-02T10:00:02.000Z', duration: 200, attempt: 1 });
    const annotations = [{ type: 'owner', description: 'pay' }, { type: 'x' }];
    const state = flaky({ tags: ['slow'], annotations, attempts: [first, second] });
    const commit = { ...COMMIT, message: 'Net prices\n\nfor all' };
    const run = await recordRun(
      tenant,
      { retail: { tags: ['shop'], tests: { [TEST]: state } } },
      { tags: ['nightly'], machineId: 'm-1', commit },
    );
    const { status, has_more, data, signature } = await historyOf(tenant);
    const recordId = run.records[`retail ${TEST}`];
    expect({ status, has_more, data }).toEqual({
      status: 'OK',
      has_more: false,
      data: [
        {
          cursor: expect.stringMatching(/^[\w-]{20,}$/),
          signature,
          framework: 'pw',
          createdAt: '2026-11-02T10:00:03.000Z',
          projectId: tenant.projectId,
          groupId: 'retail',
          runId: run.runId,
          instanceId: run.instances[`retail ${SPEC}`],
          spec: SPEC,
          machineId: 'm-1',
          tags: ['nightly', 'shop', 'slow'],
          title: ['cart', 'sums'],
          testId: testIdOf('retail', TEST),
          displayError: 'Error: late',
          commit: {
            branch: 'main',
            authorEmail: 'alex.doe@example.com',
            authorName: 'Alex Doe',
            sha: COMMIT.sha,
            message: 'Net prices',
          },
          duration: 500,
          flaky: true,
          expectedStatus: 'passed',
          status: 'passed',
          attempts: [
            {
              attemptId: `${recordId}-0`,
              state: 'failed',
              error: {
                message: 'Error: late',
                stack: 'Error: late\n    at /project/tests/cart.spec.ts:28:37',
                location: { file: '/project/tests/cart.spec.ts', line: 28, column: 37 },
              },
              startedAt: '2026-11-02T10:00:01.500Z',
              duration: 300,
            },
            {
              attemptId: `${recordId}-1`,
              state: 'passed',
              error: null,
              startedAt: '2026-11-02T10:00:02.000Z',
              duration: 200,
            },
          ],
          annotations: [{ type: 'owner', description: 'pay' }, { type: 'x' }],
        },
      ],
    });
  });

  test.each([
    ['passed', passed(), { status: 'passed', flaky: false, displayError: null, expectedStatus: 'passed' }],
    ['failed', failed(), { status: 'failed', flaky: false, displayError: 'Error: expected 2, received 3' }],
    ['flaky', flaky(), { status: 'passed', flaky: true, displayError: 'Error: expected 2, received 3' }],
    ['skipped on purpose', pending(), { status: 'pending', expectedStatus: 'skipped', displayError: null }],
    ['not run', skipped(), { status: 'skipped', expectedStatus: 'passed', displayError: null }],
    [
      'failed as expected',
      passed({ annotations: [{ type: 'fail' }], attempts: [attempt('failed')] }),
      { status: 'passed', flaky: false, expectedStatus: 'failed', displayError: null },
    ],
  ])('returns the outcome of a test: %s', async (_, state, expected) => {
    const tenant = await service();
    await recordRun(tenant, { retail: { tests: { [TEST]: state } } });
    expect((await historyOf(tenant)).data).toMatchObject([expected]);
  });

  test('A result whose record id is damaged shows no error, and every other result shows its own', async () => {
    const tenant = await service();
    const failing = (message: string) => failed({ attempts: [attempt('failed', { errors: [error(message)] })] });
    for (const message of ['Error: first', 'Error: second']) {
      clock.advance(60_000);
      await recordRun(tenant, { retail: { tests: { [TEST]: failing(message) } } }, { ciBuildId: message });
    }
    const { signature } = await historyOf(tenant);
    const damaged = { signature, recordId: 'damaged', outcome: 'failed', hasErrors: true } as const;
    const times = [Date.now() + 1, Date.now() - 30_000];
    await storeHistory(
      tenant.services,
      times.map((recordedAt) => historyItem(tenant, { ...damaged, recordedAt })),
    );
    clock.advance(60_000);
    const { data } = await historyOf(tenant);
    expect(data.map(({ displayError }: { displayError: string | null }) => displayError)).toEqual([
      null,
      'Error: second',
      null,
      'Error: first',
    ]);
  });

  test('lists the executions of one test across runs, groups and branches, newest first', async () => {
    const tenant = await service();
    for (const build of ['one', 'two', 'three']) {
      clock.advance(60_000);
      const tests = {
        [TEST]: passed(),
        [`${SPEC} > cart > sums more`]: failed(),
        'other.spec.ts > cart > sums': failed(),
      };
      await recordRun(tenant, { [build]: { tests } }, { ciBuildId: build, commit: { ...COMMIT, branch: build } });
    }
    const { data } = await historyOf(tenant);
    expect(
      data.map(({ groupId, commit }: { groupId: string; commit: { branch: string } }) => [groupId, commit.branch]),
    ).toEqual([
      ['three', 'three'],
      ['two', 'two'],
      ['one', 'one'],
    ]);
  });

  test('returns an empty history for an unknown or malformed signature', async () => {
    const { reader } = await service();
    for (const signature of ['0'.repeat(32), 'x', 'HISTORY#a', '\u0000', '💩', '../..']) {
      const answer = await reader.get(`/test-results/${encodeURIComponent(signature)}${query(...RANGE)}`);
      expect(answer).toMatchObject({ status: 200, body: { status: 'OK', has_more: false, data: [] } });
    }
  });

  test.each([
    ['', '`date_start` is required; `date_end` is required'],
    ['date_start=2026-11-01', '`date_end` is required'],
    ['date_start=2026-11-02&date_end=2026-11-01', '`date_start` is after `date_end`. Swap them'],
    ['date_start=now&date_end=2026-11-01', '`date_start` must be an ISO 8601 date-time such as 2026-10-21T08:00:00Z'],
    ['date_start=1793613600000&date_end=2026-11-01', '`date_start` must be an ISO 8601 date-time'],
  ])('refuses the range %j and says what to send', async (parameters, problem) => {
    const { reader } = await service();
    expect(await reader.get(`/test-results/${SIGNATURE}?${parameters}`)).toMatchObject({
      status: 400,
      body: { status: 'FAILED', error: expect.stringContaining(problem) },
    });
  });

  test.each([
    ['2026-11-02T09:00:00Z', '2026-11-02T09:00:00.001Z', true],
    ['2026-11-02T09:00:00.001Z', '2026-11-03', false],
    ['2026-11-01', '2026-11-02T09:00:00Z', false],
    ['2026-11-02', '2026-11-03', true],
    ['2026-11-02', '2026-11-02', false],
    ['2026-11-02T10:30:00+01:30', '2026-11-02T04:00:01-05:00', true],
    ['2026-11-02T10:30:00.001+01:30', '2026-11-03', false],
    ['2026-11-02T09:00Z', '2026-11-02T09:01Z', true],
    ['2026-11-02T09:00:00.000000Z', '9999-12-31T23:59:59Z', true],
    ['0001-01-01', '3100-01-01', true],
  ])(
    'The range from %s up to but excluding %s contains an execution at 09:00 UTC on 2026-11-02: %s',
    async (start, end, isThere) => {
      const { services, ...tenant } = await service();
      await storeHistory(services, [historyItem(tenant, { recordedAt: Date.parse('2026-11-02T09:00:00Z') })]);
      const { body } = await tenant.reader.get(
        `/test-results/${SIGNATURE}${query(['date_start', start], ['date_end', end])}`,
      );
      expect(body.data).toHaveLength(isThere ? 1 : 0);
    },
  );
});
