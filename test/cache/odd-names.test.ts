import { describe, expect, test, vi } from 'vitest';
import { objectsOf } from '#test/harness/bucket.ts';
import { service } from '#test/harness/service.ts';

async function stage() {
  const tenant = await service();
  // The object store checks the expiry of links against the real time.
  vi.useRealTimers();
  return tenant;
}

const NAMES = [
  '../../other',
  '/etc/passwd',
  'a/b/c',
  '..',
  'Zoë 🎭',
  '%2e%2e%2f',
  'a\\b',
  'x'.repeat(250),
  ' ',
  'reference',
];

describe('A cache with an unusual name', () => {
  test('has its own folder inside the folder of its organization', async () => {
    const { api, organizationId, ...tenant } = await stage();
    const keys = new Set<string>();
    for (const id of NAMES) {
      const { status, body } = await api.post('@/cache/upload', { id });
      expect({ id, status, cacheId: body.cacheId }).toEqual({ id, status: 200, cacheId: id });
      expect(new URL(body.uploadUrl).pathname).toMatch(
        new RegExp(`/cache/${organizationId}/[0-9a-f]{32}/[0-9a-f]{24}\\.zip$`),
      );
      expect((await fetch(body.uploadUrl, { method: 'PUT', body: id })).status).toBe(200);
      const read = await api.post('@/cache/v2/download', { cacheKey: body.cacheKey });
      expect(await (await fetch(read.body.readUrl)).text()).toBe(id);
      keys.add(body.cacheKey.split('.')[0]);
    }
    expect(keys.size).toBe(NAMES.length);
    const stored = await objectsOf({ ...tenant, organizationId });
    expect(stored.filter((key) => key.startsWith('cache/') && !key.startsWith(`cache/${organizationId}/`))).toEqual([]);
  });

  test('A cache upload is refused with 400 if its id is a kilobyte long, empty or not a string, or if its matrix is invalid', async () => {
    const { api } = await stage();
    for (const id of ['x'.repeat(1024), '', 7, ['a'], { $ne: 1 }]) {
      const answer = await api.post('@/cache/upload', { id });
      expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('`id`') } });
    }
    for (const config of [{ matrixIndex: 0 }, { matrixTotal: 1e9 }, { matrixIndex: '1' }])
      expect((await api.post('@/cache/upload', { id: 'shop', config })).status).toBe(400);
  });

  test('A cache is not found by a malformed or unknown cache key', async () => {
    const { api } = await stage();
    const { body } = await api.post('@/cache/upload', { id: 'shop' });
    const [cache, version] = body.cacheKey.split('.');
    const wrong = [cache, `${cache}.`, `../${cache}.${version}`, `${cache}.${version}.json`, `${cache}/${version}`];
    for (const cacheKey of [...wrong, `${cache}.${'0'.repeat(24)}`, 'reference', '..'])
      expect(await api.post('@/cache/v2/download', { cacheKey })).toMatchObject({ status: 404 });
  });
});
