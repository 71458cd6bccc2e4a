import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { REST_CUT } from '#shared/engine/cut-text.ts';
import { noise } from '#test/harness/noise.ts';
import { claim, firstMessage, startRun } from '#test/harness/recording.ts';
import { attempt, COMMIT, failed, runBody, suiteGroup } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';

const TEST = 'cart.spec.ts > sums';
/** Returns random text that gzip can shorten by at most a third. */
const noisy = (characters: number): string => noise(characters).toString('base64').slice(0, characters);
const GZIP = { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } };
const packed = (body: unknown): Uint8Array<ArrayBuffer> => Uint8Array.from(gzipSync(JSON.stringify(body)));

/** Claims a spec file with one test. `record` sends the result of this test compressed. */
async function stage() {
  const tenant = await service();
  const claimed = await claim(tenant, await startRun(tenant, [suiteGroup('retail', [TEST])]), 'cart.spec.ts');
  const record = (state: ReturnType<typeof failed>) =>
    tenant.api.send('POST', '@/test-record', packed(firstMessage(claimed, TEST, state)), GZIP);
  const results = async () =>
    (await tenant.reader.get(`/instances/${claimed.instanceId}`, { headers: { 'accept-encoding': 'gzip' } })).body.data
      .results;
  return { ...tenant, record, results };
}

describe('A test record', () => {
  test('A test record with more error text than fits into a table item is stored with its texts truncated', async () => {
    const { record, results } = await stage();
    const errors = Array.from({ length: 10 }, () => ({
      message: noisy(30_000),
      stack: noisy(60_000),
      snippet: noisy(8000),
    }));
    const attempts = Array.from({ length: 4 }, () => attempt('failed', { errors }));
    expect(await record(failed({ attempts }))).toMatchObject({ status: 200 });
    const [kept] = (await results()).tests;
    expect(kept).toMatchObject({ state: 'failed', attempts: { length: 4 } });
    const shown = kept.displayError.replace(REST_CUT, '');
    expect(kept.displayError).toBe(`${errors[0]?.message.slice(0, shown.length)}${REST_CUT}`);
    expect(kept.displayError.length).toBeGreaterThan(500);
    for (const one of kept.attempts) expect(one.errors).toHaveLength(10);
  });

  test('A test record with one error whose message and stack have the maximum length is stored unchanged', async () => {
    const { record, results } = await stage();
    const error = { message: noisy(32_768), stack: noisy(65_536) };
    expect((await record(failed({ attempts: [attempt('failed', { errors: [error] })] }))).status).toBe(200);
    expect((await results()).tests[0].attempts[0].error).toMatchObject(error);
  });

  test('A test record with too many attempts, annotations and tags is truncated to the maximum number of each, also in the history', async () => {
    const { record, results, api, projectId, reader } = await stage();
    const annotations = Array.from({ length: 40 }, (_, n) => ({ type: `${n}${noisy(300)}`, description: noisy(3000) }));
    const tags = Array.from({ length: 120 }, (_, n) => `${n}${noisy(200)}`);
    const attempts = Array.from({ length: 60 }, (_, n) => attempt('failed', { attempt: n }));
    expect((await record(failed({ annotations, tags, attempts }))).status).toBe(200);
    const limits = { attempts: { length: 50 }, annotations: { length: 32 }, tags: { length: 100 } };
    expect((await results()).tests).toMatchObject([limits]);
    const { signature } = (
      await api.post('/signature/test', { projectId, specFilePath: 'cart.spec.ts', testTitle: ['sums'] })
    ).body.data;
    const listed = await reader.get(`/test-results/${signature}?date_start=2026-11-01&date_end=2026-12-01`);
    expect(listed.body.data).toMatchObject([limits]);
  });
});

describe('A run', () => {
  test('A run with very long commit texts starts, and its branch name is stored truncated', async () => {
    const { api, projectId, reader } = await service();
    const commit = Object.fromEntries(Object.keys(COMMIT).map((name) => [name, 'é'.repeat(100_000)]));
    const ghaEventData = { prTitle: 'é'.repeat(100_000), htmlUrl: 'é'.repeat(100_000), headRef: 'é'.repeat(100_000) };
    const body = runBody(projectId, [suiteGroup('retail', [TEST])], { commit: { ...commit, ghaEventData } });
    const answer = await api.send('POST', '@/runs/v1', packed(body), GZIP);
    expect(answer).toMatchObject({ status: 200 });
    expect((await reader.get(`/runs/${answer.body.runId}`)).body.data.meta.commit.branch).toMatch(/^é{100,5000}$/);
  });

  test('A run with ten thousand tests in one spec file starts and expects all of these tests', async () => {
    const { api, projectId, reader } = await service();
    const names = Array.from({ length: 10_000 }, (_, n) => `cart.spec.ts > case ${n}`);
    const answer = await api.send('POST', '@/runs/v1', packed(runBody(projectId, [suiteGroup('retail', names)])), GZIP);
    expect(answer).toMatchObject({ status: 200 });
    expect((await reader.get(`/runs/${answer.body.runId}`)).body.data.groups).toMatchObject([
      { tests: { tests: 10_000 } },
    ]);
  });

  test('A run with more than 10,000 tests in one spec file is refused, and the error says that a spec file has too many tests', async () => {
    const { api, projectId } = await service();
    const names = Array.from({ length: 30_000 }, (_, n) => `cart.spec.ts > case ${n}`);
    const answer = await api.send('POST', '@/runs/v1', packed(runBody(projectId, [suiteGroup('retail', names)])), GZIP);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(/tests.*spec file/) } });
  });
});

describe('A test title', () => {
  test('A test title that is too long is refused with an error that names the limit', async () => {
    const { api, projectId } = await service();
    const testTitle = Array.from({ length: 64 }, () => 'é'.repeat(257));
    const answer = await api.post('/signature/test', { projectId, specFilePath: 'cart.spec.ts', testTitle });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('`testTitle` must have at most 16384 characters in all') },
    });
  });
});
