/** The story in a demo organization, as people and programs find it. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { type LocalFile, writeLocalFile } from '#infra/local/demo.ts';
import { type Recording, recordStory } from '#infra/local/recording/record-story.ts';
import { BROKEN, FLAKY, SLOW } from '#infra/local/story/plot.ts';
import { type Client, client } from '#test/harness/client.ts';
import { confirmed } from '#test/harness/downloads.ts';
import { service, type TestService } from '#test/harness/service.ts';
import { temporaryFolder } from './child.ts';

const StoryFile = z.object({ recorded: z.array(z.string()) });
const MINUTE_MILLISECONDS = 60_000;
const HOUR_MILLISECONDS = 60 * MINUTE_MILLISECONDS;
const WITHIN = { timeout: 20_000, interval: 50 };

interface Demo extends LocalFile {
  readonly here: TestService;
  readonly api: Client;
  readonly dataDirectory: string;
  readonly startedAt: number;
  readonly recorded: () => Promise<readonly string[]>;
}

async function demo({ story }: { readonly story: boolean }): Promise<Demo> {
  const here = await service();
  // The bucket belongs to another process, which checks the times of links.
  vi.useRealTimers();
  const startedAt = Date.now();
  const { services, origin, baseUrl } = here;
  const dataDirectory = await temporaryFolder();
  const oauth = { issuer: 'http://localhost:4000' };
  const file = await writeLocalFile({ services, dataDirectory, origin, baseUrl, oauth, store: 'embedded', story });
  const recorded = async () =>
    StoryFile.parse(JSON.parse(await readFile(join(dataDirectory, 'story.json'), 'utf8'))).recorded;
  return { ...file, here, startedAt, dataDirectory, recorded, api: client(origin, file.apiKeys.readOnly) };
}

/** Records until so many runs are done. The run in progress got its first messages then. */
async function recordUntil(
  { here, startedAt, dataDirectory, recordUrl, apiKeys }: Demo,
  runs: number,
): Promise<number> {
  const stopped = new AbortController();
  let calls = 0;
  const onProgress: Recording['onProgress'] = (recorded) => {
    calls += 1;
    if (recorded >= runs) stopped.abort();
  };
  // A later time, so that the run in progress sends its first messages at once.
  const now = () => startedAt + 2 * MINUTE_MILLISECONDS;
  const recorder = { recordUrl, recordKey: apiKeys.readWrite, now };
  await recordStory({ services: here.services, dataDirectory, recorder, signal: stopped.signal, onProgress });
  return calls;
}

/** Records the rest, and lets the run in progress end at once. */
async function recordRest({ here, startedAt, dataDirectory, recordUrl, apiKeys }: Demo): Promise<number> {
  let calls = 0;
  const recorder = { recordUrl, recordKey: apiKeys.readWrite, now: () => startedAt + HOUR_MILLISECONDS };
  const { signal } = new AbortController();
  const onProgress = () => {
    calls += 1;
  };
  await recordStory({ services: here.services, dataDirectory, recorder, signal, onProgress });
  return calls;
}

/** All items of a cursor list. */
async function all(api: Client, path: string) {
  const items = [];
  for (let after = ''; ; ) {
    const { status, body } = await api.get(`${path}${after}`);
    expect(status).toBe(200);
    items.push(...body.data);
    if (!body.has_more) return items;
    after = `&starting_after=${encodeURIComponent(body.data.at(-1).cursor)}`;
  }
}

async function historyOf(
  { api, startedAt, projects: [project] }: Demo,
  specFilePath: string,
  name: string,
  title: string[],
) {
  const body = { projectId: project?.projectId, specFilePath, testTitle: [...title, name] };
  const { signature } = (await api.post('/signature/test', body)).body.data;
  const at = (days: number) => new Date(startedAt + days * 24 * HOUR_MILLISECONDS).toISOString();
  const range = `date_start=${at(-40)}&date_end=${at(1)}`;
  return all(api, `/test-results/${signature}?${range}&limit=100&branches=main`);
}

test('the demo tells its story through the API, causes no sweep, and is recorded once', async () => {
  const told = await demo({ story: true });
  expect(told.projects.map(({ name }) => name)).toEqual(['Shop', 'Warehouse']);
  await recordUntil(told, 60);
  const [shop, warehouse] = await Promise.all(
    told.projects.map(({ projectId }) => all(told.api, `/projects/${projectId}/runs?limit=50`)),
  );
  const runs = [...(shop ?? []), ...(warehouse ?? [])];
  expect(runs).toHaveLength(60);
  expect(new Set(runs.map(({ meta }) => meta.commit.branch)).size).toBe(5);
  const states = Object.groupBy(runs, ({ completionState }) => completionState);
  expect(Object.fromEntries(Object.entries(states).map(([state, some]) => [state, some?.length]))).toEqual({
    COMPLETE: 57,
    ...{ CANCELED: 1, IN_PROGRESS: 1, TIMEOUT: 1 },
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

  // Sweeps of the next minutes find the run in progress only, which is not due.
  vi.useFakeTimers({ toFake: ['Date'], now: told.startedAt + 20 * MINUTE_MILLISECONDS });
  expect(await told.here.runSchedule('timeOutRuns')).toMatchObject({ timedOut: 0, due: 0, failed: 0 });
  expect(await told.here.runSchedule('resendOutbox')).toMatchObject({ failed: 0, parked: 0 });
  expect(await told.here.runSchedule('removeExpiredFiles')).toMatchObject({ due: 0 });

  vi.useRealTimers();
  await recordRest(told);
  const [live] = await all(told.api, `/projects/${told.projects[0]?.projectId}/runs?limit=1`);
  expect(live).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED' });
  expect(await told.recorded()).toHaveLength(60);
  expect(await recordRest(told)).toBe(0);
});

test('the latest failed run leads to the error, a confirmed screenshot, and the analysis of its trace', async () => {
  const told = await demo({ story: true });
  await recordUntil(told, 2);
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
  // The analysis follows the confirmation of the trace.
  await expect
    .poll(async () => (await context()).traceErrorAnalysis, WITHIN)
    .toMatchObject({
      networkRequests: expect.any(Array),
    });
});

test('a story that was interrupted continues with the next older run, and records each run once', async () => {
  const told = await demo({ story: true });
  await recordUntil(told, 4);
  const before = await told.recorded();
  expect(before).toEqual(['shop-4820', 'warehouse-1322', 'shop-4819']);
  await recordUntil(told, 6);
  expect(await told.recorded()).toEqual([...before, 'shop-4818', 'shop-4817']);
});

test('a run that a user deleted while the story was incomplete stays deleted', async () => {
  const told = await demo({ story: true });
  await recordUntil(told, 2);
  const runs = `/projects/${told.projects[0]?.projectId}/runs?limit=50`;
  const [, run] = await all(told.api, runs);
  const owner = client(told.here.origin, told.apiKeys.readWrite);
  expect((await owner.send('DELETE', `/runs/${run.runId}`)).status).toBe(200);
  // As if the service had been killed before it noted the run.
  const file = join(told.dataDirectory, 'story.json');
  const story = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...story, recorded: [] }));
  await recordUntil(told, 4);
  expect((await all(told.api, runs)).map(({ meta }) => meta.ciBuildId)).toEqual(['shop-4821', 'shop-4819']);
});

test('an empty demo has one empty project and no story', async () => {
  const told = await demo({ story: false });
  expect(await recordRest(told)).toBe(0);
  expect(told.projects.map(({ name }) => name)).toEqual(['Demo project']);
  expect(await all(told.api, `/projects/${told.projects[0]?.projectId}/runs?limit=50`)).toEqual([]);
});
