import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { junit } from '#test/imports/reports.ts';
import { BARE, execute, installClient } from './installed.ts';

const ACTION = join(import.meta.dirname, '../../infra/client/action.yml');

/** The script of the only step, and the variables that it reads. */
async function step() {
  const action = await readFile(ACTION, 'utf8');
  const [, script = ''] = /^ {6}run: \|\n([\s\S]+)$/m.exec(action) ?? [];
  const variables = [...action.matchAll(/^ {8}(\w+): \$\{\{ inputs\.([\w-]+) \}\}$/gm)];
  return {
    script: script.replaceAll(/^ {8}/gm, ''),
    variables: variables.map(([, name = '', input = '']) => ({ name, input })),
  };
}

test('The GitHub Action uploads, writes the summary and sets its outputs, also for a failed job', async () => {
  const tenant = await service();
  vi.useRealTimers();
  const { folder, tarball, remove } = await installClient();
  onTestFinished(remove);
  await writeFile(join(folder, 'unit.xml'), junit({ 'a.test.ts': { sums: 'passed' } }));
  const inputs: Readonly<Record<string, string>> = {
    ...{ files: '*.xml none/*.xml', url: tenant.origin, project: tenant.projectId, 'api-key': tenant.keys.readWrite },
    ...{ package: tarball, arguments: '--group chrome', status: 'failure' },
  };
  const { script, variables } = await step();
  expect(variables.length).toBeGreaterThan(6);
  const [GITHUB_STEP_SUMMARY, GITHUB_OUTPUT] = [join(folder, 'summary.md'), join(folder, 'outputs')];
  const env = {
    ...{ ...BARE, npm_config_cache: join(folder, 'cache'), npm_config_offline: 'true' },
    ...{ GITHUB_ACTIONS: 'true', GITHUB_REPOSITORY: 'acme/shop', GITHUB_RUN_ID: '42', GITHUB_REF_NAME: 'main' },
    ...{ GITHUB_STEP_SUMMARY, GITHUB_OUTPUT },
    ...Object.fromEntries(variables.map(({ name, input }) => [name, inputs[input] ?? ''])),
  };
  const { status, errors } = await execute('bash', ['-e', '-c', script], { cwd: folder, env });
  expect({ status, errors }).toEqual({ status: 0, errors: '' });
  expect(await readFile(GITHUB_STEP_SUMMARY, 'utf8')).toContain('| unit.xml | 1 | 1 | 0 |');
  const runId = /\/runs\/(\w{16})\n/.exec(await readFile(GITHUB_OUTPUT, 'utf8'))?.[1] ?? '';
  expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({
    ...{ status: 'FAILED', completionState: 'COMPLETE', groups: [{ groupId: 'chrome', tests: { passes: 1 } }] },
  });
});
