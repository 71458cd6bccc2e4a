/** The demo organization with its recorded runs, as the API shows them. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { BROKEN, FLAKY, SLOW } from '#infra/demo/story/plot.ts';
import { IS_DEEP } from '#test/harness/cases.ts';
import { client } from '#test/harness/client.ts';
import { confirmed } from '#test/harness/downloads.ts';
import {
  all,
  type Demo,
  demo,
  HOUR_MILLISECONDS,
  MINUTE_MILLISECONDS,
  recordRest,
  recordUntil,
} from './recorded-demo.ts';

/** Expects that sweeps find nothing to do 20 minutes after the start. The run in progress has not timed out by then. */
async function expectNoSweep({ here, startedAt }: Demo): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: startedAt + 20 * MINUTE_MILLISECONDS });
  expect(await here.runSchedule('timeOutRuns')).toMatchObject({ timedOut: 0, due: 0, failed: 0 });
  expect(await here.runSchedule('resendOutbox')).toMatchObject({ failed: 0, parked: 0 });
  expect(await here.runSchedule('removeExpiredFiles')).toMatchObject({ due: 0 });
  vi.useRealTimers();
}

async function historyOf(
  { api, startedAt, projects: [project] }: Demo,
  specFilePath: string,
  name: string,
  title: string[],
) {
  const body = { projectId: project?.projectId, specFilePath, testTitle: [...title, name] };
  const { signature } = (await api.post('/signature/test', body)).body.data;
  const daysLater = (days: number) => new Date(startedAt + days * 24 * HOUR_MILLISECONDS).toISOString();
  const range = `date_start=${daysLater(-40)}&date_end=${daysLater(1)}`;
  return all(api, `/test-results/${signature}?${range}&limit=100&branches=main`);
}

let newest: Promise<Demo> | undefined;
/**
 * A demo with two recorded runs: the run in progress and the run before it. The first test then records another run.
 */
const newestRuns = () =>
  (newest ??= demo({ story: true }).then(async (told) => {
    await recordUntil(told, 2);
    return told;
  }));

test('If the recording of the demo is interrupted, its runs can be read, scheduled jobs find nothing to do, and recording continues with the next older run and records no run twice', async () => {
  const told = await newestRuns();
  const lists = await Promise.all(
    told.projects.map(({ projectId }) => all(told.api, `/projects/${projectId}/runs?limit=50`)),
  );
  const runs = lists.flat();
  expect(runs.map(({ completionState }) => completionState).toSorted()).toEqual(['COMPLETE', 'IN_PROGRESS']);
  const before = await told.recorded();
  expect(before).toEqual(['shop-4820']);
  await recordUntil(told, 3);
  expect(await told.recorded()).toEqual([...before, 'warehouse-1322']);
  await expectNoSweep(told);
});

/** `npm run test:deep` records the whole story. */
test.runIf(IS_DEEP)(
  'the API shows all runs of the demo, which leave nothing for scheduled jobs to do and are recorded only once',
  async () => {
    const told = await demo({ story: true });
    expect(told.projects.map(({ name }) => name)).toEqual(['Shop', 'Warehouse', 'Wholesale', 'Accounting']);
    await recordUntil(told, 67);
    const [shop, warehouse, ...others] = await Promise.all(
      told.projects.map(({ projectId }) => all(told.api, `/projects/${projectId}/runs?limit=50`)),
    );
    const runs = [...(shop ?? []), ...(warehouse ?? [])];
    expect(runs).toHaveLength(61);
    expect(others.map((list) => list.length)).toEqual([4, 2]);
    expect(new Set(runs.map(({ meta }) => meta.commit.branch)).size).toBe(5);
    const states = Object.groupBy(runs, ({ completionState }) => completionState);
    expect(Object.fromEntries(Object.entries(states).map(([state, some]) => [state, some?.length]))).toEqual({
      COMPLETE: 58,
      CANCELED: 1,
      IN_PROGRESS: 1,
      TIMEOUT: 1,
    });
    const filtered = await all(told.api, `/projects/${told.projects[0]?.projectId}/runs?limit=50&branches=release/2.4`);
    expect(filtered.map(({ completionState }) => completionState)).toEqual(['COMPLETE', 'TIMEOUT', 'COMPLETE']);

    const flaky = await historyOf(told, 'cart.spec.ts', FLAKY, ['cart']);
    expect(flaky.filter((execution) => execution.flaky).length).toBeGreaterThan(8);
    const broken = await historyOf(told, 'pricing.spec.ts', BROKEN, ['pricing', 'discounts', 'by quantity']);
    const since = broken.findLastIndex(({ status }) => status === 'failed');
    expect(broken.slice(0, since).every(({ status }) => status === 'failed')).toBe(true);
    expect(broken[since]?.commit?.message).toBe('Round discounts per article');
    const slow = await historyOf(told, 'search.spec.ts', SLOW, ['search']);
    expect(slow[0]?.duration).toBeGreaterThan(2 * slow.at(-1)?.duration);

    await expectNoSweep(told);
    await recordRest(told);
    const [live] = await all(told.api, `/projects/${told.projects[0]?.projectId}/runs?limit=1`);
    expect(live).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED' });
    expect(await told.recorded()).toHaveLength(67);
    expect(await recordRest(told)).toBe(0);
  },
);

test('the latest failed run of the demo has an error, a screenshot that can be downloaded and an analyzed trace', async () => {
  const told = await newestRuns();
  vi.useRealTimers();
  const [, run] = await all(told.api, `/projects/${told.projects[0]?.projectId}/runs?limit=2`);
  expect(run).toMatchObject({ status: 'FAILED', meta: { commit: { branch: 'main' } } });
  const listed = (await told.api.get(`/context?run_id=${run.runId}&include_flaky=false`)).body.data.list;
  const { meta } = listed.find((one: { spec: string }) => one.spec === 'checkout/payment.spec.ts');
  const context = async () =>
    (await told.api.get(`/context?instance_id=${meta.instanceId}&test_id=${meta.testId}`)).body.data;
  const { error, assets, stdout, failureContext } = await context();
  expect(error.message).toContain('The bank declined this card: its limit is reached.');
  expect(failureContext.failedStep.title).toBe('Expect "toHaveText"');
  expect(stdout.join('')).toContain('declined, reason limit_reached');
  const png = await confirmed(assets.screenshots[0].url);
  expect(png.headers.get('content-type')).toBe('image/png');
  // The trace is analyzed after its upload is confirmed.
  await expect
    .poll(async () => (await context()).traceErrorAnalysis)
    .toMatchObject({
      networkRequests: expect.any(Array),
    });
});

test('a run of the demo stays deleted if a user deletes it before the demo is completely recorded', async () => {
  const told = await demo({ story: true });
  await recordUntil(told, 2);
  const listed = () => Promise.all(told.projects.map(({ projectId }) => all(told.api, `/projects/${projectId}/runs`)));
  const [[, run] = []] = await listed();
  const owner = client(told.here.origin, told.apiKeys.readWrite);
  expect((await owner.send('DELETE', `/runs/${run.runId}`)).status).toBe(200);
  // Simulates a service that was killed before it noted that the run had been recorded.
  const file = join(told.dataDirectory, 'story.json');
  const story = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...story, recorded: [] }));
  await recordUntil(told, 3);
  const builds = (await listed()).map((runs) => runs.map(({ meta }) => meta.ciBuildId));
  expect(builds).toEqual([['shop-4821'], ['warehouse-1322'], [], []]);
});

test('a demo that is started empty, as with --empty, has one project and no runs', async () => {
  const told = await demo({ story: false });
  expect(await recordRest(told)).toBe(0);
  expect(told.projects.map(({ name }) => name)).toEqual(['Demo project']);
  expect(await all(told.api, `/projects/${told.projects[0]?.projectId}/runs?limit=50`)).toEqual([]);
});
