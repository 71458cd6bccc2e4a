/** Runs the published `currents cache`, which keeps files of a CI job for the next attempt of the job. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { service } from '#test/harness/service.ts';
import { PROJECT, runIn, temporaryFolder } from '#test/infra/local/child.ts';
import { environment } from './programs.ts';

const CURRENTS = join(PROJECT, 'node_modules/@currents/cmd/dist/bin/index.js');
const PLAYWRIGHT = join(PROJECT, 'node_modules/@playwright/test/cli.js');
const SUITE = `import { expect, test } from '@playwright/test';
test('passes', () => {});
test('fails', () => expect(1).toBe(2));
`;

async function setting() {
  const tenant = await service();
  vi.useRealTimers();
  /** Creates a checkout of the repository, as on a CI machine. */
  const checkout = async () => {
    const folder = await temporaryFolder();
    await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'sums.spec.mjs'), SUITE);
    return folder;
  };
  const cache = async (folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const ended = await runIn(folder, [CURRENTS, 'cache', ...args], { ...environment(tenant, ''), ...env });
    expect({ status: ended.status, args }, ended.output).toEqual({ status: 0, args });
    return ended.output;
  };
  return { checkout, cache };
}

const attempt = (number: number) => ({
  GITHUB_ACTIONS: 'true',
  GITHUB_RUN_ID: '812',
  GITHUB_REPOSITORY: 'shop/shop',
  GITHUB_JOB: 'test',
  GITHUB_RUN_ATTEMPT: String(number),
});

test('`currents cache` stores and restores files under an id, and with --continue, a missing cache is not an error', async () => {
  const { checkout, cache } = await setting();
  const first = await checkout();
  const second = await checkout();
  await mkdir(join(first, 'out'));
  await writeFile(join(first, 'out/state.json'), '{"signedIn":true}');
  expect(await cache(second, ['get', '--id', 'state', '--continue'])).toContain('Cache with ID "state" not found');
  await cache(first, ['set', '--id', 'state', '--path', 'out']);
  await cache(second, ['get', '--id', 'state']);
  expect(await readFile(join(second, 'out/state.json'), 'utf8')).toBe('{"signedIn":true}');
});

test('`currents cache` with the preset `last-run` makes the next attempt of a job run only the failed tests', async () => {
  const { checkout, cache } = await setting();
  const first = await checkout();
  const second = await checkout();
  const run = await runIn(first, [PLAYWRIGHT, 'test', '--reporter=line'], {});
  expect(run.output).toContain('Running 2 tests');
  await cache(first, ['set', '--preset', 'last-run'], attempt(1));
  await cache(second, ['get', '--preset', 'last-run', '--preset-output', 'flags'], attempt(2));
  const flags = await readFile(join(second, 'flags'), 'utf8');
  expect(flags).toBe('--last-failed');
  const again = await runIn(second, [PLAYWRIGHT, 'test', '--reporter=line', flags], {});
  expect(again.output).toContain('Running 1 test');
  expect(again.output).toContain('fails');
});
