import { describe, expect, test } from 'vitest';
import { compileRuns } from '#test/harness/analytics.ts';
import { recordRun } from '#test/harness/recording.ts';
import { COMMIT, failed, flaky, passed, pending } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';
import { mcpClient } from './mcp-client.ts';

let shared: ReturnType<typeof recordedStage> | undefined;

/**
 * Records runs on three branches, and starts a client of the published MCP server. All tests share the runs and the
 * client, because the tests only read.
 */
function stageWithClient() {
  shared ??= recordedStage();
  return shared;
}

async function recordedStage() {
  const stage = await service();
  for (const branch of ['main', 'next', 'other']) {
    const tests = {
      'cart.spec.ts > cart > sums': branch === 'next' ? failed() : passed(),
      'cart.spec.ts > cart > sorts': flaky(),
      'tax.spec.ts > rounds': pending(),
    };
    const about = { ciBuildId: branch, tags: [`of ${branch}`], commit: { ...COMMIT, branch } };
    await recordRun(stage, { retail: { tests } }, about);
  }
  await compileRuns(stage);
  const client = await mcpClient({ baseUrl: stage.baseUrl, key: stage.keys.readOnly });
  return { client, projectId: stage.projectId };
}

describe('the published MCP server', () => {
  test('The MCP tool `currents-get-tests-performance` returns the metrics of tests, sorted and filtered', async () => {
    const { client, projectId } = await stageWithClient();
    const range = { projectId, from: '2026-11-02', to: '2026-11-03' };
    const all = await client.call('currents-get-tests-performance', { ...range, order: 'failures' });
    expect(all).toMatchObject({
      status: 'OK',
      data: {
        total: 3,
        count: 3,
        nextPage: false,
        list: [
          { title: 'cart > sums', metrics: { executions: 3, failures: 1, passes: 2 } },
          { title: 'cart > sorts', metrics: { executions: 3, flaky: 3, flakinessRate: 1 } },
          { title: 'rounds', metrics: { executions: 3, ignored: 3, avgDurationMs: 0 } },
        ],
      },
    });
    const some = await client.call('currents-get-tests-performance', {
      ...range,
      order: 'failureRateDelta',
      orderDirection: 'asc',
      limit: 1,
      page: 0,
      specNameFilter: 'cart',
      testNameFilter: 'sums',
      branches: ['main', 'next'],
      tags: ['of next', 'of other'],
    });
    expect(some).toMatchObject({ data: { total: 1, list: [{ metrics: { executions: 1, failureRateDelta: null } }] } });
  });

  test('The MCP tool `currents-get-spec-files-performance` returns the metrics of spec files, sorted and filtered', async () => {
    const { client, projectId } = await stageWithClient();
    const range = { projectId, from: '2026-11-02T00:00:00.000Z', to: '2026-11-03T00:00:00.000Z' };
    const all = await client.call('currents-get-spec-files-performance', { ...range, order: 'failedExecutions' });
    expect(all).toMatchObject({
      status: 'OK',
      data: {
        total: 2,
        nextPage: false,
        list: [
          { spec: 'cart.spec.ts', metrics: { overallExecutions: 3, failedExecutions: 1, flakyExecutions: 3 } },
          { spec: 'tax.spec.ts', metrics: { overallExecutions: 3, failedExecutions: 0 } },
        ],
      },
    });
    const some = await client.call('currents-get-spec-files-performance', {
      ...range,
      specNameFilter: 'CART',
      limit: 5,
      authors: ['alex.doe@example.com', 'nobody'],
      branches: ['main', 'next'],
      orderDirection: 'asc',
    });
    expect(some).toMatchObject({ data: { total: 1, list: [{ metrics: { overallExecutions: 2, suiteSize: 2 } }] } });
  });
});
