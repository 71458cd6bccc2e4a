/** Runs suites whose run is cancelled by their first failure, while their second test waits for minutes. */
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { findClient } from '#test/harness/stage.ts';
import { runIn, temporaryFolder } from '#test/infra/local/child.ts';

const MODULES = join(import.meta.dirname, '../../node_modules');

const makeSuite = (framework: string, more = ''): string => `import { test } from '${framework}';
test('fails', () => { throw new Error('the stock is empty'); });
test('waits', async () => { await new Promise((resolve) => setTimeout(resolve, 600_000)); }${more});
test('comes last', () => {});
`;

const RUNNERS = {
  Playwright: {
    file: 'cart.spec.mjs',
    suite: makeSuite('@playwright/test'),
    args: [join(MODULES, '@playwright/test/cli.js'), 'test', '--timeout=0', '--reporter=rundown-cli/playwright'],
  },
  Vitest: {
    file: 'cart.test.mjs',
    suite: makeSuite('vitest', ', 900_000'),
    args: [join(MODULES, 'vitest/vitest.mjs'), 'run', '--root', '.', '--reporter=rundown-cli/vitest'],
  },
  'node:test': {
    file: 'cart.test.mjs',
    suite: makeSuite('node:test'),
    args: ['--test', '--test-reporter=rundown-cli/node-test', '--test-reporter-destination=stdout'],
  },
};

test.for(Object.entries(RUNNERS))(
  'The tests of %s stop when their run is cancelled, and what they recorded stays',
  async ([, { file, suite, args }]) => {
    const { api, origin, keys, projectId } = await service();
    vi.useRealTimers();
    const folder = await temporaryFolder();
    const home = join(folder, 'shop');
    await mkdir(join(home, 'node_modules/rundown-cli'), { recursive: true });
    await cp(await findClient(), join(home, 'node_modules/rundown-cli'), { recursive: true });
    for (const name of ['@playwright', 'playwright', 'vitest'])
      await symlink(join(MODULES, name), join(home, 'node_modules', name));
    await writeFile(join(home, file), suite);
    const { status, output } = await runIn(home, args, {
      GITHUB_ACTIONS: '',
      RUNDOWN_DSN: `${origin.replace('://', `://${keys.readWrite}@`)}/${projectId}`,
      RUNDOWN_CI_BUILD_ID: 'build',
      RUNDOWN_CANCEL_AFTER_FAILURES: '1',
      RUNDOWN_SPOOL: join(folder, 'spool'),
    });
    expect(output).toContain('the run was cancelled because too many tests failed, so its tests stop');
    expect(status).not.toBe(0);
    const { runId } = await read(api, `/runs/find?projectId=${projectId}&ciBuildId=build`);
    expect(await read(api, `/runs/${runId}`)).toMatchObject({
      completionState: 'CANCELED',
      status: 'FAILED',
      groups: [{ tests: { failures: 1, passes: 0 } }],
    });
  },
);
