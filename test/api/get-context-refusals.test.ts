import { describe, expect, test } from 'vitest';
import { FAILING, failingRun, sharedFailingRun } from '#test/harness/failing-run.ts';
import { testIdOf } from '#test/harness/recording-messages.ts';

describe('GET /context', () => {
  test.each([
    ['a request without ids', '', '`run_id` is missing'],
    ['a test without its instance', 'run_id={run}&test_id=t1', '`test_id` requires `instance_id`'],
    ['an instance without its run', 'instance_id={instance}', '`run_id` is missing'],
    ['an attempt for a run', 'run_id={run}&attempt=0', '`attempt` selects an attempt of one test'],
    ['an attempt for an instance', 'run_id={run}&instance_id={instance}&attempt=0', '`attempt` selects'],
    ['a negative attempt number', 'instance_id={instance}&test_id=t1&attempt=-1', '`attempt`'],
    ['a page of more than 50 tests', 'run_id={run}&limit=51', '`limit` must be at most 50'],
    ['a page of 0 tests', 'run_id={run}&limit=0', '`limit` must be at least 1'],
    ['an unknown level of detail', 'run_id={run}&detail=full', '`detail` must be one of'],
    ['an unknown format', 'run_id={run}&format=xml', '`format` must be one of'],
  ])('refuses %s with 400', async (_, query, words) => {
    const recorded = await sharedFailingRun();
    const { status, body } = await recorded.context(
      query.replace('{run}', recorded.runId).replace('{instance}', recorded.instanceId),
    );
    expect(status).toBe(400);
    expect(body.error).toContain(words);
  });

  test('returns 404 for ids of another organization, and for unknown ids', async () => {
    const recorded = await sharedFailingRun();
    const other = await failingRun();
    const nowhere = '0'.repeat(32);
    const answers = [
      await recorded.context(`run_id=${other.runId}`),
      await recorded.context(`run_id=${recorded.runId}&instance_id=${other.instanceId}`),
      await recorded.context(`run_id=${other.runId}&instance_id=${other.instanceId}`),
      await recorded.context(`run_id=${other.runId}&instance_id=${recorded.instanceId}`),
      await recorded.context(`run_id=${recorded.runId}&instance_id=${recorded.runId}${'0'.repeat(16)}`),
      await recorded.context(`instance_id=${nowhere}&test_id=${testIdOf('retail', FAILING)}`),
      await recorded.context(`instance_id=${other.instanceId}&test_id=${testIdOf('retail', FAILING)}`),
      await recorded.context(`instance_id=${recorded.instanceId}&test_id=nobody`),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
  });
});
