import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { read } from '#test/harness/recording-readback.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';
import { findClient } from '#test/harness/stage.ts';
import { junit } from '#test/imports/reports.ts';
import { BARE, execute } from './installed.ts';

/**
 * Reads the script of the action's only step, and the environment variables that the step sets from the inputs of the
 * action.
 */
async function step(folder: string) {
  const action = await readFile(join(folder, 'action.yml'), 'utf8');
  const [, script = ''] = /^ {6}run: \|\n([\s\S]+)$/m.exec(action) ?? [];
  const variables = [...action.matchAll(/^ {8}(\w+): \$\{\{ inputs\.([\w-]+) \}\}$/gm)];
  return {
    script: script.replaceAll(/^ {8}/gm, ''),
    variables: variables.map(([, name = '', input = '']) => ({ name, input })),
  };
}

const CONNECTIONS = {
  dsn: ({ origin, projectId, keys }: TestService & Tenant) => ({
    dsn: origin.replace('//', `//${keys.readWrite}@`).concat(`/${projectId}`),
    group: 'chrome',
  }),
  'url, project and api-key': ({ origin, projectId, keys }: TestService & Tenant) => ({
    url: origin,
    project: projectId,
    'api-key': keys.readWrite,
    arguments: '--group chrome',
  }),
};

test.each(Object.entries(CONNECTIONS))(
  'The GitHub Action uploads reports, writes the job summary and sets its outputs, even if the job has failed (connection inputs: %s)',
  async (_, connection) => {
    const tenant = await service();
    vi.useRealTimers();
    const folder = await mkdtemp(join(tmpdir(), 'rundown-action-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    // The folder of the action, which users copy into their repository.
    const GITHUB_ACTION_PATH = join(folder, 'action');
    await cp(await findClient(), GITHUB_ACTION_PATH, { recursive: true });
    await writeFile(join(folder, 'unit.xml'), junit({ 'a.test.ts': { sums: 'passed' } }));
    const inputs: Readonly<Record<string, string>> = {
      files: '*.xml none/*.xml',
      ...connection(tenant),
      status: 'failure',
    };
    const { script, variables } = await step(GITHUB_ACTION_PATH);
    expect(variables.length).toBeGreaterThan(5);
    // If the script ran an npm package by name, whoever owns that name on npm would receive the API keys.
    expect(script).not.toMatch(/\b(npm|npx)\b/);
    const GITHUB_STEP_SUMMARY = join(folder, 'summary.md');
    const GITHUB_OUTPUT = join(folder, 'outputs');
    const env = {
      ...BARE,
      GITHUB_ACTION_PATH,
      GITHUB_ACTIONS: 'true',
      GITHUB_REPOSITORY: 'acme/shop',
      GITHUB_RUN_ID: '42',
      GITHUB_REF_NAME: 'main',
      GITHUB_STEP_SUMMARY,
      GITHUB_OUTPUT,
      ...Object.fromEntries(variables.map(({ name, input }) => [name, inputs[input] ?? ''])),
    };
    const { status, errors } = await execute('bash', ['-e', '-c', script], { cwd: folder, env });
    expect({ status, errors }).toEqual({ status: 0, errors: '' });
    expect(await readFile(GITHUB_STEP_SUMMARY, 'utf8')).toContain('| unit.xml | 1 | 1 | 0 |');
    const runId = /\/runs\/(\w{16})\n/.exec(await readFile(GITHUB_OUTPUT, 'utf8'))?.[1] ?? '';
    expect(await read(tenant.api, `/runs/${runId}`)).toMatchObject({
      status: 'FAILED',
      completionState: 'COMPLETE',
      groups: [{ groupId: 'chrome', tests: { passes: 1 } }],
    });
  },
);
