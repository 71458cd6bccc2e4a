/**
 * The committed settings of each environment, and the deployments that are refused because they would lose a setting.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PROJECT } from '#infra/build/declarations.ts';
import { readFileSettings, readSettings } from '#infra/stacks/settings.ts';

const DOMAIN = { domain: 'results.example.com', certificate: 'arn:aws:acm:eu-west-1:123456789012:certificate/1' };
const restored = (name: string) => ({
  table: name,
  tableStream: `arn:aws:dynamodb:eu-west-1:123456789012:table/${name}/stream/2026-11-20T10:00:00.000`,
});

let project: string;
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'rundown-settings-'));
  await mkdir(join(project, 'environments'));
});
afterEach(() => rm(project, { recursive: true }));

const write = (settings: object, env = 'prod', folder = project) =>
  writeFile(join(folder, 'environments', `${env}.json`), JSON.stringify(settings));

function git(...command: string[]): void {
  const author = ['-c', 'user.name=Operator', '-c', 'user.email=operator@example.com'];
  execFileSync('git', [...author, ...command], { cwd: project, stdio: 'ignore' });
}

async function commit(settings: object): Promise<void> {
  await write(settings);
  git('init');
  git('add', '.');
  git('commit', '--message', 'Settings');
}

const read = (context: Readonly<Record<string, string>>, folder = project) =>
  readSettings(new App({ context }).node, join(folder, 'environments'));

describe('The settings file of an environment', () => {
  test('applies only to this environment, and a flag overrides its settings', async () => {
    await write({ budget: 500, alarmEmail: 'on-call@example.com', dashboard: true });
    await write({}, 'dev');
    expect(read({ env: 'prod' })).toMatchObject({ budget: { dollarsPerMonth: 500 }, dashboard: true });
    expect(read({ env: 'prod', dashboard: 'false' })).toMatchObject({ dashboard: false });
    expect(read({ env: 'dev' })).toMatchObject({ budget: undefined, dashboard: false });
  });

  test('gives the commands that change a deployment its limits and its key', async () => {
    const kmsKey = 'arn:aws:kms:eu-west-1:123456789012:key/0e0b2b5c-5b0a-4f5e-8d7e-1f4b7c9d2a3e';
    await write({ tableMaximum: '6000,4000', kmsKey, table: null });
    const settings = readFileSettings(join(project, 'environments'), 'prod');
    expect(settings).toMatchObject({ kmsKey, environment: { tableMaximum: { readUnits: 6000, writeUnits: 4000 } } });
  });

  test.each([
    [{ domian: 'results.example.com' }, 'entries that are not settings of an environment: domian'],
    [{ env: 'dev' }, 'entries that are not settings of an environment: env'],
    [{ consumerConcurrency: 1 }, '-c consumerConcurrency=... must be a whole number'],
    [['domain'], 'must be a JSON object of settings'],
  ])('A settings file with invalid content is refused: %o', async (settings, problem) => {
    await write(settings);
    expect(() => read({ env: 'prod' })).toThrow(problem);
  });

  test('A missing settings file is refused, but `-c settingsFile=false` deploys without a settings file', async () => {
    expect(() => read({ env: 'staging' })).toThrow('staging.json is missing');
    expect(read({ env: 'staging', settingsFile: 'false' }).environment.name).toBe('staging');
  });

  test('Every environment has a settings file, which the CDK app reads', async () => {
    for (const env of ['dev', 'staging', 'prod']) {
      JSON.parse(await readFile(join(PROJECT, 'infra/environments', `${env}.json`), 'utf8'));
    }
    expect(await readFile(join(PROJECT, 'infra/app.ts'), 'utf8')).toContain("'environments')");
  });
});

describe('Settings of a deployment', () => {
  const table = restored('rundown-prod-restored-1');

  test('are refused if they lack the committed domain, signing keys or table', async () => {
    await commit({ ...DOMAIN, ...table, signingKeys: 'first,second' });
    expect(read({ env: 'prod' })).toMatchObject({ signingKeys: ['first', 'second'] });
    await write({});
    expect(() => read({ env: 'prod' })).toThrow(
      /domain is missing, .*\n.*certificate is missing, .*\n.*signingKeys is missing, .*\n.*table is missing, .*rundown-prod-restored-1\n/,
    );
  });

  test('are refused if they lack the committed networks or the key of the operator', async () => {
    const kmsKey = 'arn:aws:kms:eu-west-1:123456789012:key/0a1b';
    await commit({ access: 'private', vpcEndpoints: 'vpce-0a1', allowedSources: '10.0.0.0/8', kmsKey });
    expect(read({ env: 'prod' })).toMatchObject({ access: 'private', vpcEndpoints: ['vpce-0a1'], kmsKey });
    await write({});
    expect(() => read({ env: 'prod' })).toThrow(
      /kmsKey is missing, .*\n.*allowedSources is missing, .*\n.*access is missing, .*\n.*vpcEndpoints is missing, .*/,
    );
  });

  test('Settings are refused in a worktree of an earlier release, whose settings file does not name the restored table', async () => {
    await commit({});
    await commit(table);
    const previous = `${project}-previous`;
    git('worktree', 'add', previous, 'HEAD~1');
    try {
      expect(() => read({ env: 'prod' }, previous)).toThrow('table is missing');
      await write(table, 'prod', previous);
      expect(read({ env: 'prod' }, previous).restoredTable?.tableName).toBe('rundown-prod-restored-1');
    } finally {
      await rm(previous, { recursive: true });
    }
  });

  test('Settings are refused if the file or a flag names a table or a domain that is not committed', async () => {
    await commit(DOMAIN);
    expect(() => read({ env: 'prod', ...table })).toThrow('table is rundown-prod-restored-1, but');
    await write({ ...DOMAIN, domain: 'other.example.com' });
    expect(() => read({ env: 'prod' })).toThrow('domain is other.example.com, but');
  });

  test('Settings are refused after a commit that removed the restored table from the file, until the file sets the table to null', async () => {
    await commit(table);
    await commit({});
    expect(() => read({ env: 'prod' })).toThrow('earlier versions of');
    await commit({ table: null, tableStream: null });
    expect(read({ env: 'prod' }).restoredTable).toBeUndefined();
  });

  test('Settings may differ from the committed settings if `-c change` names them', async () => {
    await commit(table);
    await write({});
    expect(() => read({ env: 'prod', change: 'table' })).toThrow('tableStream is missing');
    expect(read({ env: 'prod', change: 'table,tableStream' }).restoredTable).toBeUndefined();
  });
});
