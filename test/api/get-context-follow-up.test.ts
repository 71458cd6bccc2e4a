import { describe, expect, test } from 'vitest';
import { FAILING, FLAKY, sharedFailingRun } from '#test/harness/failing-run.ts';
import { testIdOf } from '#test/harness/recording-messages.ts';

/** Returns the paths of the `GET` requests that a Markdown page suggests, exactly as the page prints them. */
const suggestedBy = (page: string): string[] =>
  [...page.matchAll(/`GET (\/[^`]+)`/g)].map(([, request = '']) => request);

describe('§4.3 The follow-up queries of a failure context page', () => {
  test.each([
    ['run', 2],
    ['instance', 2],
    ['test', 4],
  ])('The follow-up queries of a page at %s level succeed when they are sent unchanged', async (level, number) => {
    const recorded = await sharedFailingRun();
    const queries: Readonly<Record<string, string>> = {
      run: `run_id=${recorded.runId}&include_flaky=true`,
      instance: `run_id=${recorded.runId}&instance_id=${recorded.instanceId}`,
      test: `instance_id=${recorded.instanceId}&test_id=${testIdOf('retail', FAILING)}`,
    };
    for (const detail of ['default', 'compact', 'summary']) {
      const { body: page } = await recorded.context(`${queries[level]}&format=md&detail=${detail}`);
      const requests = suggestedBy(page);
      expect(requests).toHaveLength(number);
      for (const request of requests) {
        expect(request).not.toMatch(/[{}]/);
        expect(await recorded.reader.get(request), request).toMatchObject({ status: 200 });
      }
    }
  });

  test('The follow-up queries of a page at test level include the history of the test', async () => {
    const recorded = await sharedFailingRun();
    const asked = `instance_id=${recorded.instanceId}&test_id=${testIdOf('retail', FLAKY)}&format=md`;
    const [history = ''] = suggestedBy((await recorded.context(asked)).body).filter((one) =>
      one.startsWith('/test-results/'),
    );
    const { body } = await recorded.reader.get(history);
    expect(body.data).toMatchObject([{ instanceId: recorded.instanceId, testId: testIdOf('retail', FLAKY) }]);
  });
});

/** Parameters that are empty, too small, too large, of the wrong type, or repeated. */
const UNUSABLE = [
  'run_id=',
  `run_id=${'x'.repeat(300)}`,
  'run_id=a&run_id=b',
  'run_id[]=a',
  'limit=',
  'limit=0',
  'limit=51',
  'limit=many',
  'limit=1&limit=2',
  'limit=1.5',
  'page=',
  'page=-1',
  'page=999999999',
  'page=first',
  'page=0&page=1',
];
const FLAKY_UNUSABLE = ['include_flaky=', 'include_flaky=maybe', 'include_flaky=true&include_flaky=false'];

describe('§4.3 Query parameters that belong to another level', () => {
  test('A request at test level ignores parameters of the other levels, even if their values are invalid', async () => {
    const recorded = await sharedFailingRun();
    const asked = `instance_id=${recorded.instanceId}&test_id=${testIdOf('retail', FAILING)}`;
    const { body } = await recorded.context(asked);
    for (const unusable of [...UNUSABLE, ...FLAKY_UNUSABLE]) {
      expect(await recorded.context(`${asked}&${unusable}`), unusable).toMatchObject({ status: 200, body });
    }
  });

  test('A request at instance level ignores parameters of the run level, even if their values are invalid', async () => {
    const recorded = await sharedFailingRun();
    const asked = `run_id=${recorded.runId}&instance_id=${recorded.instanceId}`;
    const { body } = await recorded.context(asked);
    for (const unusable of FLAKY_UNUSABLE) {
      expect(await recorded.context(`${asked}&${unusable}`), unusable).toMatchObject({ status: 200, body });
    }
  });

  test('A request at run level is refused if a parameter of the run level has an invalid value', async () => {
    const recorded = await sharedFailingRun();
    for (const unusable of [...UNUSABLE.filter((one) => !one.startsWith('run_id')), ...FLAKY_UNUSABLE]) {
      expect((await recorded.context(`run_id=${recorded.runId}&${unusable}`)).status, unusable).toBe(400);
    }
    expect((await recorded.context('run_id=')).status).toBe(400);
    expect((await recorded.context(`run_id=${recorded.runId}&test_id=a`)).status).toBe(400);
  });
});
