import { describe, expect, test } from 'vitest';
import { administration } from '#test/harness/administration.ts';
import { client } from '#test/harness/client.ts';

const EMAIL = () => `${crypto.randomUUID()}@example.com`;

describe('npm run admin', () => {
  test('adds a member, creates a working token for this member, and revokes the token', async () => {
    const { tenant, json } = await administration();
    const owner = ['--organization', tenant.organizationId];
    const email = EMAIL();
    await json('members', 'add', ...owner, '--email', email, '--role', 'admin', '--name', 'Alex Doe');
    const words = ['--email', email, '--name', 'laptop', '--permissions', 'projects:read,webhooks:write'];
    const [made] = await json('tokens', 'create', ...owner, ...words);
    expect(made).toMatchObject({ permissions: 'projects:read,webhooks:read,webhooks:write', state: 'live' });
    const { get } = client(tenant.origin, made.value);
    expect((await get('/projects')).status).toBe(200);
    await json('tokens', 'revoke', ...owner, '--token', made.tokenId);
    expect((await get('/projects')).status).toBe(401);
    const [listed] = await json('tokens', 'list', ...owner);
    expect(listed).toMatchObject({ tokenId: made.tokenId, state: 'revoked' });
    expect(JSON.stringify(listed)).not.toContain(made.value);
  });

  test('lists members with their roles, changes the role of a member, and removes the member', async () => {
    const { tenant, json } = await administration();
    const owner = ['--organization', tenant.organizationId];
    const first = EMAIL();
    const other = EMAIL();
    await json('members', 'add', ...owner, '--email', first, '--role', 'admin');
    await json('members', 'add', ...owner, '--email', other, '--role', 'guest');
    await json('members', 'role', ...owner, '--email', other, '--role', 'actionsAdmin');
    const roles = async () =>
      new Map(
        (await json('members', 'list', ...owner)).map(({ email, role }: Record<string, string>) => [email, role]),
      );
    expect(await roles()).toEqual(
      new Map([
        [first, 'admin'],
        [other, 'actionsAdmin'],
      ]),
    );
    await json('members', 'remove', ...owner, '--email', other);
    expect(await roles()).toEqual(new Map([[first, 'admin']]));
  });

  test('refuses to remove the last Admin, but can deprovision them and then explains how to appoint a new one', async () => {
    const { tenant, json, run } = await administration();
    const owner = ['--organization', tenant.organizationId];
    const admin = EMAIL();
    const other = EMAIL();
    await json('members', 'add', ...owner, '--email', admin, '--role', 'admin');
    await json('members', 'add', ...owner, '--email', other, '--role', 'guest');
    const removed = await run('members', 'remove', ...owner, '--email', admin);
    expect(removed).toMatchObject({ status: 2, errors: expect.stringContaining('last Admin') });
    const { status, output } = await run('members', 'deprovision', ...owner, '--email', admin);
    expect({ status, output }).toEqual({
      status: 0,
      output: expect.stringContaining('Appoint one with "members role"'),
    });
    expect(await json('members', 'leave', ...owner, '--email', other)).toMatchObject([
      { state: 'left', adminsLeft: '0' },
    ]);
    expect(await json('members', 'list', ...owner)).toEqual([]);
  });

  test('refuses an unknown email address and an unknown role, with the reason', async () => {
    const { tenant, run } = await administration();
    const owner = ['--organization', tenant.organizationId];
    const email = EMAIL();
    const token = ['tokens', 'create', ...owner, '--email', email, '--name', 'x', '--permissions', 'results:read'];
    const nobody = await run(...token);
    expect(nobody).toMatchObject({
      status: 2,
      errors: expect.stringContaining(`No account has the email address ${email}`),
    });
    await run('members', 'add', ...owner, '--email', email, '--role', 'admin');
    const role = await run('members', 'role', ...owner, '--email', email, '--role', 'king');
    expect(role).toMatchObject({ status: 2, errors: expect.stringContaining('--role must be admin, actionsAdmin') });
  });
});

describe('npm run admin --as', () => {
  test('npm run admin acts as the member named by --as, and refuses commands that this member may not run', async () => {
    const { tenant, json, run } = await administration();
    const owner = ['--organization', tenant.organizationId];
    const admin = EMAIL();
    const guest = EMAIL();
    await json('members', 'add', ...owner, '--email', admin, '--role', 'admin');
    await json('members', 'add', ...owner, '--email', guest, '--role', 'guest');
    const errorsOf = async (...words: string[]) => (await run(...words)).errors;
    expect(await errorsOf('keys', 'list', ...owner, '--as', guest)).toContain(
      'Your role in the organization does not allow this',
    );
    expect(await errorsOf('projects', 'create', ...owner, '--name', 'x', '--as', guest)).toContain('Only an Admin');
    expect(await errorsOf('organizations', 'list', '--as', admin)).toContain('Only the operator');
    expect(await errorsOf('accounts', 'create', '--email', EMAIL(), '--name', 'x', '--as', admin)).toContain(
      'the operator',
    );
    expect(await errorsOf('members', 'leave', ...owner, '--email', guest, '--as', admin)).toContain(
      'only for themselves',
    );
    expect(await errorsOf('keys', 'list', ...owner, '--as', EMAIL())).toContain('No account has the email address');
    await json('projects', 'create', ...owner, '--name', 'Warehouse', '--as', admin);
    const [newest] = await json('audit', 'list', ...owner, '--limit', '1', '--as', admin);
    expect(newest).toMatchObject({ actor: admin, action: 'project created', detail: 'Warehouse' });
  });
});
