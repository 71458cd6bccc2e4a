import { mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECT } from '#infra/build/declarations.ts';
import { COMMANDS } from '#infra/cli/commands.ts';
import { formatHelp, formatUsage } from '#infra/cli/usage.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { administration } from '#test/harness/administration.ts';
import { client } from '#test/harness/client.ts';
import { run, temporaryFolder } from '#test/infra/local/child.ts';

describe('npm run admin', () => {
  test('creates an organization, a project and a key that works immediately', async () => {
    const { tenant, program, json } = await administration();
    const created = await program('organizations', 'create', '--name', 'Acme', '--json');
    const [{ organizationId }] = JSON.parse(created.output);
    const owner = ['--organization', organizationId];
    const [{ projectId }] = await json('projects', 'create', ...owner, '--name', 'Shop', '--branch', 'trunk');
    const [key] = await json('keys', 'create', ...owner, '--label', 'CI', '--level', 'readWrite');
    const { body } = await client(tenant.origin, key.value).get('/projects');
    expect(body.data).toMatchObject([{ projectId, name: 'Shop', defaultBranchName: 'trunk' }]);
    expect(await json('organizations', 'list')).toContainEqual(
      expect.objectContaining({ organizationId, name: 'Acme' }),
    );
    expect(await json('projects', 'list', ...owner)).toMatchObject([{ projectId }]);
  });

  test('deletes a project only if its name is given, and restores it', async () => {
    const { tenant, run, json } = await administration();
    const of = ['--organization', tenant.organizationId, '--project', tenant.projectId];
    const wrong = await run('projects', 'delete', ...of, '--name', 'Store');
    expect(wrong).toMatchObject({ status: 2, errors: 'Error: This is not the name of the project. Type Shop\n' });
    const [deleted] = await json('projects', 'delete', ...of, '--name', 'Shop');
    expect(deleted).toMatchObject({ projectId: tenant.projectId, deletesAt: expect.stringMatching(/^2026-12-02T/) });
    expect(await json('projects', 'restore', ...of)).toEqual([{ ...deleted, deletesAt: '' }]);
  });

  test('exits with code 2 if its arguments are wrong, and says on standard error what is wrong', async () => {
    const { program } = await administration();
    const { status, output, errors } = await program('keys', 'rename');
    expect({ status, output }).toEqual({ status: 2, output: '' });
    expect(errors).toContain('Error: Unknown command "keys rename"');
  });

  test('lists keys without their values', async () => {
    const { tenant, json } = await administration();
    const keys = await json('keys', 'list', '--organization', tenant.organizationId);
    expect(keys).toHaveLength(2);
    expect(keys.map(({ level }: { level: string }) => level).sort()).toEqual(['readOnly', 'readWrite']);
    expect(JSON.stringify(keys)).not.toContain(tenant.keys.readWrite);
  });

  test('deletes only the given key, which stops working immediately', async () => {
    const { tenant, json } = await administration();
    const owner = ['--organization', tenant.organizationId];
    const keys = await json('keys', 'list', ...owner);
    const { keyId } = keys.find(({ level }: { level: string }) => level === 'readWrite');
    await json('keys', 'delete', ...owner, '--key', keyId);
    expect((await tenant.api.get('/projects')).status).toBe(401);
    expect((await tenant.reader.get('/projects')).status).toBe(200);
    expect(await json('keys', 'list', ...owner)).toHaveLength(1);
  });

  test('prints a new key in a table, with a hint that its value is shown only once', async () => {
    const { tenant, run } = await administration();
    const words = ['--organization', tenant.organizationId, '--label', 'laptop', '--level', 'readOnly'];
    const { status, output } = await run('keys', 'create', ...words);
    expect(status).toBe(0);
    expect(output).toMatch(
      /^keyId +label +level +lastFour +createdAt +value\n\w{16} +laptop +readOnly .*rdn_key_\w{42}\n/,
    );
    expect(output).toContain('shown only once');
  });

  test.each([
    [['keys', 'rename'], 'Unknown command "keys rename"'],
    [['keys', 'list'], 'Missing --organization'],
    [['keys', 'list', '--organization'], 'argument missing'],
    [['keys', 'list', '--organization', 'x', '--email', 'y'], '"keys list" does not take --email'],
    [['audit', 'list', '--organization', 'x', '--limit', 'many'], '--limit must be a number'],
    [
      ['projects', 'settings', '--inactivity-timeout', '5 minutes'],
      '--inactivity-timeout must be a number of seconds, or a duration',
    ],
    [['organizations', 'list', '--colour'], "Unknown option '--colour'"],
  ])('refuses %j, and prints the problem and the usage', async (words, problem) => {
    const { run } = await administration();
    const { status, errors } = await run(...words);
    expect({ status, errors }).toEqual({ status: 2, errors: expect.stringContaining(problem) });
    expect(errors).toContain('Usage: npm run admin');
  });

  test('names the file that it cannot open, and what is wrong with its name', async () => {
    const { tenant, run } = await administration();
    const words = ['--organization', tenant.organizationId, '--project', tenant.projectId, '--repository', 'acme/shop'];
    expect(await run('notifications', 'github', ...words, '--credential', 'missing.txt')).toMatchObject({
      status: 1,
      errors: 'Error: The file missing.txt does not exist. Check its name, which is relative to the working folder\n',
    });
  });

  test('npm run admin -- help prints the usage of all commands, and with a noun that of its commands', async () => {
    const { run } = await administration();
    const all = await run('help');
    expect(all).toMatchObject({ status: 0, errors: '', output: expect.stringContaining('organizations list') });
    const { output } = await run('help', 'keys');
    expect(output).toContain('keys create');
    expect(output).not.toContain('organizations list');
  });

  test('accepts only readOnly and readWrite as the level of a key', async () => {
    const { tenant, run } = await administration();
    const words = ['--organization', tenant.organizationId, '--label', 'x', '--level', 'admin'];
    expect((await run('keys', 'create', ...words)).errors).toContain('--level must be readOnly or readWrite');
  });

  test('If an id is unknown, npm run admin names the command that lists the existing ids', async () => {
    const { tenant, run } = await administration();
    const errorsOf = async (...words: string[]) => {
      const { status, errors } = await run(...words);
      expect(status).toBe(2);
      return errors.trim();
    };
    const nothing = await errorsOf('keys', 'list', '--organization', 'nothing');
    expect(nothing).toBe('Error: Organization not found. Run "organizations list" to see the existing ones');
    const owner = ['--organization', tenant.organizationId];
    expect(await errorsOf('keys', 'delete', ...owner, '--key', 'nothing')).toContain(
      'Run "keys list" to see the existing ones',
    );
    expect(await errorsOf('tokens', 'revoke', ...owner, '--token', 'nothing')).toContain('Run "tokens list"');
    expect(await errorsOf('projects', 'settings', ...owner, '--project', 'nothing')).toContain('Run "projects list"');
  });

  test('spells out control and directional characters in names', async () => {
    const { tenant, run } = await administration();
    const { services, organizationId, projectId } = tenant;
    await services.table.update(
      projects,
      { organizationId, projectId },
      { set: [['name', 'Shop\u001b[2J\u0007\u202e\nowned']] },
    );
    const { output } = await run('projects', 'list', '--organization', organizationId);
    expect(output).toContain('Shop<U+0007 U+202E> owned');
  });
});

describe('npm run admin without a running service', () => {
  const admin = (env: Readonly<Record<string, string>>, ...words: string[]) =>
    run(['infra/cli/admin.ts', ...words], env);

  test('Without a running service, npm run admin asks the user to start a service or to name a table, and does not mention AWS', async () => {
    const folder = await temporaryFolder();
    const never = await admin({ RUNDOWN_DATA: folder }, 'organizations', 'list');
    expect(never).toMatchObject({ status: 1, output: expect.stringContaining(`data in ${folder}`) });
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' };
    await writeFile(join(folder, 'store.json'), JSON.stringify(environment));
    const ended = await admin({ RUNDOWN_DATA: folder }, 'organizations', 'list');
    expect(ended).toMatchObject({ status: 1, output: expect.stringContaining('is not running') });
    await writeFile(join(folder, 'store.json'), '{');
    const damaged = await admin({ RUNDOWN_DATA: folder }, 'organizations', 'list');
    expect(damaged).toMatchObject({ status: 1, output: expect.stringContaining('store.json is damaged') });
    for (const { output } of [never, ended, damaged]) {
      expect(output).toContain('Run "npm start" in another terminal, or name a deployed table with --table <name>');
      expect(output).toContain('RUNDOWN_DATA=<folder>');
      expect(output).not.toMatch(/AWS|credentials|Usage|\n +at /);
    }
  });
});

describe('npm run admin with running services', () => {
  /**
   * Creates two data folders. `note` writes the file by which commands find a running service, as if a service with
   * this process id used the folder. `list` runs a command without RUNDOWN_DATA, so the command must find the service
   * itself.
   */
  const place = async () => {
    const { tenant } = await administration();
    const TMPDIR = await temporaryFolder();
    const first = await temporaryFolder();
    const second = await temporaryFolder();
    const note = async (folder: string, pid: number) => {
      await writeFile(join(folder, 'store.json'), JSON.stringify(tenant.environment));
      const notes = join(TMPDIR, `rundown-services-${userInfo().username}`);
      await mkdir(notes, { recursive: true });
      const service = { pid, project: PROJECT, dataDirectory: folder, origin: tenant.origin };
      await writeFile(join(notes, `${pid}.json`), JSON.stringify(service));
    };
    const list = () =>
      run(['infra/cli/admin.ts', 'projects', 'list', '--organization', tenant.organizationId], {
        TMPDIR,
        RUNDOWN_DATA: '',
      });
    return { first, second, note, list, tenant };
  };

  test('npm run admin finds the only running service, and ignores a service that was killed', async () => {
    const { first, second, note, list, tenant } = await place();
    await note(first, process.pid);
    await note(second, 2 ** 22 + 1);
    expect(await list()).toEqual({ status: 0, output: expect.stringContaining(tenant.projectId) });
  });

  test('npm run admin asks the user to choose between several services', async () => {
    const { first, second, note, list, tenant } = await place();
    await note(first, process.pid);
    await note(second, process.ppid);
    const { status, output } = await list();
    expect(status).toBe(1);
    expect(output).toContain('Several services are running');
    for (const folder of [first, second])
      expect(output).toMatch(new RegExp(`RUNDOWN_DATA=${folder} npm run \\S+ +for ${tenant.origin}`));
    expect(output).not.toContain('Usage');
  });
});

describe('The usage of npm run admin', () => {
  test('lists every command, and the help of a command explains each of its options', () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !formatUsage(COMMANDS).includes(`\n  ${name}`))).toEqual([]);
    for (const command of COMMANDS) {
      const lines = formatHelp(command).split('\n');
      const unexplained = Object.keys(command.options).filter(
        (option) => !lines.some((line) => new RegExp(`^  --${option}(?: .*)? {2,}\\S`).test(line)),
      );
      expect({ command: command.name, unexplained }).toEqual({ command: command.name, unexplained: [] });
    }
  });

  test('The help of a command explains only this command', async () => {
    const { run } = await administration();
    const { status, output } = await run('keys', 'create', '--help');
    expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining('Create an API key') });
    expect(output).not.toContain('members');
    expect((await run('--help')).output).toContain(
      'members invite --organization <id> --email <address> --role admin|',
    );
  });
});
