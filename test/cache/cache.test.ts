import { describe, expect, test, vi } from 'vitest';
import { CACHE_LIMITS } from '#shared/cache/limits.ts';
import { objectsOf } from '#test/harness/bucket.ts';
import type { Client } from '#test/harness/client.ts';
import { clock, service } from '#test/harness/service.ts';

interface Named {
  readonly id?: string;
  readonly ci?: object;
  readonly config?: object;
}

const upload = async (url: string, body: string) => {
  expect((await fetch(url, { method: 'PUT', body })).status).toBe(200);
};

/** Stores an archive as `currents cache` does: uploads the archive, and then a reference to it. */
async function store(api: Client, named: Named, content: string): Promise<string> {
  const { status, body } = await api.post('@/cache/upload', named);
  expect(status).toBe(200);
  const { cacheKey, uploadUrl, refMetaUploadUrl } = body;
  await upload(uploadUrl, content);
  await upload(refMetaUploadUrl, JSON.stringify({ cacheKey }));
  return cacheKey;
}

/** Reads the cache as `currents cache` does. Returns the archive, or the reason why there is none. */
async function restore(api: Client, named: Named): Promise<string> {
  const found = await api.post('@/cache/meta', named);
  expect(found.status).toBe(200);
  const reference = await fetch(found.body.refMetaReadUrl);
  if (!reference.ok) return `no reference: ${reference.status}`;
  const { cacheKey } = JSON.parse(await reference.text());
  const read = await api.post('@/cache/v2/download', { cacheKey });
  if (read.status !== 200) return `no archive: ${read.status}`;
  return (await fetch(read.body.readUrl)).text();
}

const github = (githubRunId: string, more: object = {}) => ({
  ci: { provider: 'githubActions', params: { githubRunId, githubRepository: 'shop/shop', githubJob: 'test', ...more } },
});
const MISSING = /^no reference: 40[34]$/;

async function stage() {
  const tenant = await service();
  // The object store checks the expiry of links against the real time.
  vi.useRealTimers();
  return tenant;
}

describe('A cache', () => {
  test('returns the archive that was stored last', async () => {
    const { api } = await stage();
    expect(await restore(api, { id: 'shop' })).toMatch(MISSING);
    await store(api, { id: 'shop' }, 'first');
    await store(api, { id: 'shop' }, 'second');
    expect(await restore(api, { id: 'shop' })).toBe('second');
  });

  test('The second attempt of a CI job finds the cached files of the first attempt, and no files of other jobs', async () => {
    const { api } = await stage();
    await store(api, github('812', { githubRunAttempt: '1' }), 'failed tests');
    expect(await restore(api, github('812', { githubRunAttempt: '2' }))).toBe('failed tests');
    expect(await restore(api, github('813'))).toMatch(MISSING);
    expect(await restore(api, github('812', { githubJob: 'lint' }))).toMatch(MISSING);
  });

  test('request without an id is refused with 400 if it does not name a job of a known CI system', async () => {
    const { api } = await stage();
    for (const named of [{}, { ci: { provider: 'jenkins', params: {} } }, { ci: { provider: 'gitlab', params: {} } }])
      expect(await api.post('@/cache/upload', named)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('Send `id`') },
      });
  });

  test('Each matrix job, organization and id has its own cache', async () => {
    const tenant = await stage();
    const neighbour = await tenant.tenant('Neighbour');
    const config = { matrixIndex: 1, matrixTotal: 2 };
    const cacheKey = await store(tenant.api, { id: 'shop', config }, 'own');
    expect(await restore(tenant.api, { id: 'shop', config: { ...config, matrixIndex: 2 } })).toMatch(MISSING);
    expect(await restore(tenant.api, { id: 'other', config })).toMatch(MISSING);
    expect(await restore(neighbour.api, { id: 'shop', config })).toMatch(MISSING);
    expect(await neighbour.api.post('@/cache/v2/download', { cacheKey })).toMatchObject({ status: 404 });
    expect(await restore(tenant.api, { id: 'shop', config })).toBe('own');
  });

  test('expires after seven days: after that, the API neither finds the archive nor links to it', async () => {
    const { api } = await stage();
    const cacheKey = await store(api, { id: 'shop' }, 'old');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    clock.advance(CACHE_LIMITS.keptDays * 24 * 3_600_000 + 1000);
    expect(await api.post('@/cache/v2/download', { cacheKey })).toMatchObject({ status: 404 });
    const found = await api.post('@/cache/meta', { id: 'shop' });
    expect(new URL(found.body.refMetaReadUrl).pathname).toMatch(/\/none\/reference$/);
  });

  test('An archive above the maximum size is deleted when it is first read', async () => {
    const tenant = await stage();
    await store(tenant.api, { id: 'big' }, 'x'.repeat(CACHE_LIMITS.archiveBytes + 1));
    expect(await restore(tenant.api, { id: 'big' })).toBe('no archive: 404');
    expect((await objectsOf(tenant)).filter((key) => key.endsWith('.zip'))).toEqual([]);
  });

  test('If several jobs store an archive at the same time, the cache has the complete archive of one of them', async () => {
    const { api } = await stage();
    const written = ['one', 'two', 'three'];
    await Promise.all(written.map((content) => store(api, { id: 'shop' }, content)));
    expect(written).toContain(await restore(api, { id: 'shop' }));
  });

  test('request gets 401 for a wrong record key in the body, and 403 for a Read Only key', async () => {
    const { anonymous, keys } = await stage();
    const ask = (recordKey: string) => anonymous.post('@/cache/meta', { recordKey, id: 'shop' });
    expect(await ask(`${keys.readWrite}x`)).toMatchObject({ status: 401 });
    expect(await ask(keys.readOnly)).toMatchObject({ status: 403 });
    expect(await ask(keys.readWrite)).toMatchObject({ status: 200 });
  });
});
