import { describe, expect, test } from 'vitest';
import { COMMANDS } from '#infra/admin/commands.ts';
import { helpOf, usageOf } from '#infra/admin/usage.ts';
import { projects } from '#shared/resources/project.ts';
import { administration } from '#test/harness/administration.ts';
import { client } from '#test/harness/client.ts';

describe('npm run admin', () => {
  test('makes an organization, a project and a key that the service takes at once', async () => {
    const { tenant, json } = await administration();
    const [{ organizationId }] = await json('organizations', 'create', '--name', 'Acme');
    const of = ['--organization', organizationId];
    const [{ projectId }] = await json('projects', 'create', ...of, '--name', 'Shop', '--branch', 'trunk');
    const [key] = await json('keys', 'create', ...of, '--label', 'CI', '--level', 'readWrite');
    const { body } = await client(tenant.origin, key.value).get('/projects');
    expect(body.data).toMatchObject([{ projectId, name: 'Shop', defaultBranchName: 'trunk' }]);
    expect(await json('organizations', 'list')).toContainEqual(
      expect.objectContaining({ organizationId, name: 'Acme' }),
    );
    expect(await json('projects', 'list', ...of)).toMatchObject([{ projectId }]);
  });

  test('lists keys without their values, oldest first', async () => {
    const { tenant, json } = await administration();
    const keys = await json('keys', 'list', '--organization', tenant.organizationId);
    expect(keys).toHaveLength(2);
    expect(keys.map(({ level }: { level: string }) => level).sort()).toEqual(['readOnly', 'readWrite']);
    expect(JSON.stringify(keys)).not.toContain(tenant.keys.readWrite);
  });

  test('deletes a key, which is refused from then on; the others still hold', async () => {
    const { tenant, json } = await administration();
    const of = ['--organization', tenant.organizationId];
    const keys = await json('keys', 'list', ...of);
    const { keyId } = keys.find(({ level }: { level: string }) => level === 'readWrite');
    await json('keys', 'delete', ...of, '--key', keyId);
    expect((await tenant.api.get('/projects')).status).toBe(401);
    expect((await tenant.reader.get('/projects')).status).toBe(200);
    expect(await json('keys', 'list', ...of)).toHaveLength(1);
  });

  test('shows people a table, and a value once with the advice to keep it', async () => {
    const { tenant, run } = await administration();
    const words = ['--organization', tenant.organizationId, '--label', 'laptop', '--level', 'readOnly'];
    const { status, output } = await run('keys', 'create', ...words);
    expect(status).toBe(0);
    expect(output).toMatch(
      /^keyId +label +level +lastFour +createdAt +value\n\w{16} +laptop +readOnly .*rdn_key_\w{42}\n/,
    );
    expect(output).toContain('shown this once');
  });

  test.each([
    [['keys', 'rename'], 'There is no command "keys rename"'],
    [['keys', 'list'], '--organization is missing'],
    [['keys', 'list', '--organization'], 'argument missing'],
    [['keys', 'list', '--organization', 'x', '--email', 'y'], '"keys list" takes no --email'],
    [['audit', 'list', '--organization', 'x', '--limit', 'many'], '--limit takes a number'],
    [['projects', 'settings', '--inactivity-timeout', '5 minutes'], '--inactivity-timeout takes seconds, or a time'],
    [['organizations', 'list', '--colour'], "Unknown option '--colour'"],
  ])('refuses %j, says why and how it is done', async (words, problem) => {
    const { run } = await administration();
    const { status, errors } = await run(...words);
    expect({ status, errors }).toEqual({ status: 2, errors: expect.stringContaining(problem) });
    expect(errors).toContain('Usage: npm run admin');
  });

  test('takes only the two levels that there are', async () => {
    const { tenant, run } = await administration();
    const words = ['--organization', tenant.organizationId, '--label', 'x', '--level', 'admin'];
    expect((await run('keys', 'create', ...words)).errors).toContain('--level takes readOnly or readWrite');
  });

  test('tells what is not there, and where to look for what is', async () => {
    const { tenant, run } = await administration();
    const told = async (...words: string[]) => {
      const { status, errors } = await run(...words);
      expect(status).toBe(2);
      return errors.trim();
    };
    const nothing = await told('keys', 'list', '--organization', 'nothing');
    expect(nothing).toBe('Error Organization not found. "organizations list" shows what there is');
    const of = ['--organization', tenant.organizationId];
    expect(await told('keys', 'delete', ...of, '--key', 'nothing')).toContain('"keys list" shows what there is');
    expect(await told('tokens', 'revoke', ...of, '--token', 'nothing')).toContain('"tokens list" shows');
    expect(await told('projects', 'settings', ...of, '--project', 'nothing')).toContain('"projects list" shows');
  });

  test('shows nothing that could steer the terminal', async () => {
    const { tenant, run } = await administration();
    const { services, organizationId, projectId } = tenant;
    await services.table.update(projects, { organizationId, projectId }, { set: [['name', 'Shop\u001b[2J\nowned']] });
    const { output } = await run('projects', 'list', '--organization', organizationId);
    expect(output).toContain('Shop\ufffd[2J\ufffdowned');
  });
});

describe('The usage of npm run admin', () => {
  test('has every command once, each with all its options and what they mean', () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !usageOf(COMMANDS).includes(`\n  ${name}`))).toEqual([]);
    for (const command of COMMANDS) {
      const lines = helpOf(command).split('\n');
      const unexplained = Object.keys(command.options).filter(
        (option) => !lines.some((line) => new RegExp(`^  --${option} \\S+ +\\S+ `).test(line)),
      );
      expect({ command: command.name, unexplained }).toEqual({ command: command.name, unexplained: [] });
    }
  });

  test('explains one command where one is named', async () => {
    const { run } = await administration();
    const { status, output } = await run('keys', 'create', '--help');
    expect({ status, output }).toEqual({ status: 0, output: expect.stringContaining('To create an API key') });
    expect(output).not.toContain('members');
    expect((await run('--help')).output).toContain(
      'members invite --organization <id> --email <address> --role admin|',
    );
  });
});
