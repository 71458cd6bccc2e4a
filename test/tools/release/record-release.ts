/**
 * A step of `npm run release`. It records the data and the interfaces of a release below test/samples/releases. Later
 * versions are checked against them. It also keeps the packed client, which later versions of the service still serve.
 * It runs as a test, because it needs a service with a fixed clock.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { loadFunctions } from '#infra/build/declarations.ts';
import { RELEASED_ROUTES } from '#infra/build/route-guards.ts';
import { formatReleasedName, loadServedClients, RELEASED } from '#infra/client/served-clients.ts';
import { recordRoutes } from '#infra/release/record-routes.ts';
import { sampleWorld } from '#test/engine/http/sample-requests.ts';
import { clock, deliverEvents, START, service, storeInFolder } from '#test/harness/service.ts';
import { readOpenApi } from '#test/harness/stage.ts';
import { interfacesOf, pack, RELEASES, readAll, readJson, writeJson } from '#test/release/released.ts';

const { version } = await readJson(join(import.meta.dirname, '../../../package.json'));
let folder = '';

storeInFolder(async (made) => {
  folder = made;
});
deliverEvents();

test('The data folder of this version, the responses of the API for its data, and the interfaces are recorded', async () => {
  const tenant = await service();
  const { organizationId, origin } = tenant;
  const { keys, shareSecret: _, ...others } = await sampleWorld(tenant);
  const world = { ...others, shareSecret: '' };
  const release = join(RELEASES, version);
  await mkdir(release, { recursive: true });
  let answers: Record<string, unknown> = {};
  // When two consecutive readings are equal, all events, analytics and deliveries have been processed.
  await expect
    .poll(
      async () => {
        // Resets the clock, because each poll advances it, which would change the durations of runs in progress.
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
  await writeJson(join(release, 'interfaces.json'), await interfacesOf(await readOpenApi()));
  await pack(folder, join(release, 'data.tar.gz'));
});

test('The routes of this version are recorded, for the update to the next one', async () => {
  await recordRoutes(RELEASED_ROUTES, version, await loadFunctions());
  execFileSync('npx', ['biome', 'format', '--write', RELEASED_ROUTES]);
});

test('The client of this version is kept for later versions of the service', async () => {
  const { version, packages } = await loadServedClients();
  await writeFile(join(RELEASED, formatReleasedName(version)), packages.get(version) ?? '');
});
