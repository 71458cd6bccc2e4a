/**
 * `npm run release` records what a release promises, below test/samples/releases. It runs as a test, because it needs a
 * service whose clock stands still.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, inject, test } from 'vitest';
import { sampleWorld } from '#test/engine/http/sample-requests.ts';
import { clock, deliverEvents, START, service, storeInFolder } from '#test/harness/service.ts';
import { interfacesOf, pack, RELEASES, readAll, readJson, writeJson } from '#test/release/released.ts';

const { version } = await readJson(join(import.meta.dirname, '../../../package.json'));
let folder = '';

storeInFolder(async (made) => {
  folder = made;
});
deliverEvents();

test('The data folder, its answers and the interfaces of this version are recorded', async () => {
  const tenant = await service();
  const { organizationId, origin } = tenant;
  const { keys, ...world } = await sampleWorld(tenant);
  const release = join(RELEASES, version);
  await mkdir(release, { recursive: true });
  let answers: Record<string, unknown> = {};
  // Events, analytics and deliveries have settled once two readings are equal.
  await expect
    .poll(
      async () => {
        // A poll moves the clock, and the times of running runs with it.
        clock.set(START.getTime());
        await tenant.runSchedule('mergeAnalytics');
        const before = answers;
        answers = await readAll(origin, { ...world, keys });
        return isDeepStrictEqual(before, answers);
      },
      { interval: 3000 },
    )
    .toBe(true);
  await writeJson(join(release, 'answers.json'), { organizationId, world, answers });
  await writeJson(join(release, 'interfaces.json'), await interfacesOf(inject('openapi')));
  await pack(folder, join(release, 'data.tar.gz'));
});
