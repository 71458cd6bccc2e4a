import { type ChildProcess, spawn } from 'node:child_process';
import { once as happens } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deadTokens, emptyOrganizations, once, recorded } from '#test/access/many-tokens.ts';
import { type OwnTable, ownTable } from '#test/harness/own-table.ts';
import { throttledTable } from '#test/harness/throttled-table.ts';

const PROGRAM = join(import.meta.dirname, '../../../infra/cli/clean-up-tokens.ts');

/** Creates a data folder as `npm start` does for this table, or an empty folder without a table. */
async function dataFolder(table?: OwnTable): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-clean-up-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  if (table) await writeFile(join(folder, 'store.json'), JSON.stringify(table.environment));
  return folder;
}

function start(words: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const bare = { PATH, NODE_COMPILE_CACHE };
  const child = spawn(process.execPath, [PROGRAM, ...words], { env: { ...bare, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function run(words: readonly string[], env: Readonly<Record<string, string>>) {
  const child = start(words, env);
  const output: string[] = [];
  const errors: string[] = [];
  child.stdout?.on('data', (chunk) => output.push(String(chunk)));
  child.stderr?.on('data', (chunk) => errors.push(String(chunk)));
  await happens(child, 'close');
  return { status: child.exitCode, output: output.join(''), errors: errors.join('') };
}

async function stage(tokens: number) {
  const table = await ownTable();
  const [organizationId = ''] = await emptyOrganizations(table.services, 2);
  await deadTokens(table.services, organizationId, tokens);
  return { ...table, organizationId, env: { RUNDOWN_DATA: await dataFolder(table) } };
}

/** Returns environment variables with which a command reaches the table through a slow proxy. */
async function slowTable(environment: OwnTable['environment'], milliseconds: number) {
  const { endpoint, slow, close } = await throttledTable(environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '');
  onTestFinished(close);
  slow(milliseconds);
  return { ...environment, AWS_ENDPOINT_URL_DYNAMODB: endpoint };
}

describe('npm run tokens:cleanup', () => {
  test('In the local service, npm run tokens:cleanup revokes and counts the tokens whose owner is not a member', async () => {
    const { env, services, organizationId } = await stage(3);
    expect(await run([], env)).toEqual({
      status: 0,
      output: 'organizations  tokens  revoked\n2              3       3\n',
      // On a slow machine, the command prints its progress.
      errors: expect.stringMatching(/^(?:\.\.\. .*\n)*$/),
    });
    expect(await recorded(services, organizationId)).toEqual(once(3));
  });

  test('prints the counts as JSON, and revokes nothing in a second run', async () => {
    const { env } = await stage(3);
    const json = async () => JSON.parse((await run(['--json'], env)).output);
    expect(await json()).toEqual({ organizations: 2, tokens: 3, revoked: 3, finished: true });
    expect(await json()).toEqual({ organizations: 2, tokens: 3, revoked: 0, finished: true });
  });

  test('uses the table named by --table, with the credentials and region of the environment', async () => {
    const { environment } = await stage(1);
    const { TABLE_NAME: name = '', ...aws } = environment;
    const env = { ...aws, RUNDOWN_DATA: await dataFolder() };
    expect(await run(['--table', name], env)).toMatchObject({
      status: 0,
      output: expect.stringContaining('1       1'),
    });
  });

  test('shows progress on standard error if it takes longer than two seconds', async () => {
    const { environment, services } = await ownTable();
    await emptyOrganizations(services, 12);
    const slow = await slowTable(environment, 250);
    const { output, errors } = await run(['--json', '--table', environment['TABLE_NAME'] ?? ''], slow);
    expect(JSON.parse(output)).toMatchObject({ organizations: 12, finished: true });
    expect(errors).toMatch(/^\.\.\. \d+ organizations and 0 tokens checked, 0 revoked\n/);
  });

  test('If npm run tokens:cleanup is killed, the next run revokes the remaining tokens, each only once', async () => {
    const { env, environment, services, organizationId } = await stage(300);
    const slow = await slowTable(environment, 100);
    const child = start(['--table', environment['TABLE_NAME'] ?? ''], slow);
    const marked = async () => (await recorded(services, organizationId)).size;
    await expect.poll(marked).toBeGreaterThan(20);
    child.kill('SIGKILL');
    await happens(child, 'close');
    expect(await marked()).toBeLessThan(300);
    const { output } = await run(['--json'], env);
    // Some writes were in flight when the first run was killed. Neither the first run nor the second run counts them.
    expect(JSON.parse(output)).toMatchObject({ revoked: expect.toSatisfy((rest) => rest > 200), finished: true });
    expect(await recorded(services, organizationId)).toEqual(once(300));
  });

  test('asks the user to start a service if the data folder is empty', async () => {
    const { status, errors } = await run([], { RUNDOWN_DATA: await dataFolder() });
    expect({ status, errors }).toEqual({ status: 1, errors: expect.stringContaining('Run "npm start"') });
  });

  test('asks the user to check the service if the table does not exist', async () => {
    const { environment } = await ownTable();
    const { status, output, errors } = await run(['--json', '--table', 'nowhere'], { ...environment });
    expect({ status, output }).toEqual({ status: 1, output: '' });
    expect(errors).toMatch(/^Error: The clean-up stopped: .+Run it again to continue\. Check that the service runs/);
  });
});
