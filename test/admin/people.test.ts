import { describe, expect, test } from 'vitest';
import { administration } from '#test/harness/administration.ts';
import { client } from '#test/harness/client.ts';

const EMAIL = () => `${crypto.randomUUID()}@example.com`;

describe('npm run admin', () => {
  test('adds a member, makes a token for them that the service takes, and revokes it', async () => {
    const { tenant, json } = await administration();
    const of = ['--organization', tenant.organizationId];
    const email = EMAIL();
    await json('members', 'add', ...of, '--email', email, '--role', 'admin', '--name', 'Alex Doe');
    const words = ['--email', email, '--name', 'laptop', '--permissions', 'projects:read,webhooks:write'];
    const [made] = await json('tokens', 'create', ...of, ...words);
    expect(made).toMatchObject({ permissions: 'projects:read,webhooks:read,webhooks:write', state: 'live' });
    const { get } = client(tenant.origin, made.value);
    expect((await get('/projects')).status).toBe(200);
    await json('tokens', 'revoke', ...of, '--token', made.tokenId);
    expect((await get('/projects')).status).toBe(401);
    const [listed] = await json('tokens', 'list', ...of);
    expect(listed).toMatchObject({ tokenId: made.tokenId, state: 'revoked' });
    expect(JSON.stringify(listed)).not.toContain(made.value);
  });

  test('lists members with their roles, changes one and removes another', async () => {
    const { tenant, json } = await administration();
    const of = ['--organization', tenant.organizationId];
    const [one, other] = [EMAIL(), EMAIL()];
    await json('members', 'add', ...of, '--email', one, '--role', 'admin');
    await json('members', 'add', ...of, '--email', other, '--role', 'guest');
    await json('members', 'role', ...of, '--email', other, '--role', 'actionsAdmin');
    const roles = async () =>
      new Map((await json('members', 'list', ...of)).map(({ email, role }: Record<string, string>) => [email, role]));
    expect(await roles()).toEqual(
      new Map([
        [one, 'admin'],
        [other, 'actionsAdmin'],
      ]),
    );
    await json('members', 'remove', ...of, '--email', other);
    expect(await roles()).toEqual(new Map([[one, 'admin']]));
  });

  test('says what the rules refuse', async () => {
    const { tenant, run } = await administration();
    const of = ['--organization', tenant.organizationId];
    const email = EMAIL();
    const nobody = await run(
      'tokens',
      'create',
      ...of,
      '--email',
      email,
      '--name',
      'x',
      '--permissions',
      'results:read',
    );
    expect(nobody).toMatchObject({ status: 2, errors: expect.stringContaining(`Nobody has the address ${email}`) });
    await run('members', 'add', ...of, '--email', email, '--role', 'admin');
    const last = await run('members', 'remove', ...of, '--email', email);
    expect(last).toMatchObject({ status: 2, errors: expect.stringContaining('last Admin') });
    const role = await run('members', 'role', ...of, '--email', email, '--role', 'king');
    expect(role).toMatchObject({ status: 2, errors: expect.stringContaining('--role takes admin, actionsAdmin') });
  });
});
