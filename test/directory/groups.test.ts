/** §5 Roles from the groups of a directory. */
import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { serveScim } from '#shared/directory/serve-scim.ts';
import { changeGroupRoles } from '#shared/directory/settings.ts';
import { directoryEntries } from '#shared/model/directory/directory-entry.ts';
import { memberships, type Role } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { changeRole } from '#shared/organizations/members.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { makeServices } from '#shared/platform/connect.ts';
import { directory } from '#test/harness/directory.ts';
import { mortal } from '#test/harness/interrupted-table.ts';
import { member } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';

const ROLES = [
  { group: 'Leads', role: 'admin' },
  { group: 'Curators', role: 'actionsAdmin' },
] as const;

async function stage() {
  const here = await service();
  const { services, organizationId } = here;
  const connection = await directory(here);
  // Somebody who is always an Admin.
  await member(here, 'admin');
  const setRoles = (groupRoles: readonly { group: string; role: Role }[], defaultRole: Role = 'guest') =>
    changeGroupRoles(services, { organizationId, actor: OPERATOR, groupRoles, defaultRole });
  await setRoles(ROLES);
  const addUser = async (): Promise<string> =>
    (await connection.scim('POST', '/Users', { userName: `${crypto.randomUUID()}@acme.example` })).body.id;
  const roleOf = async (entryId: string): Promise<Role | undefined> => {
    const entry = await services.table.get(directoryEntries, { organizationId, entryId }, { consistent: true });
    return entry && (await services.table.get(memberships, entry, { consistent: true }))?.role;
  };
  return { ...here, ...connection, setRoles, addUser, roleOf };
}

const op = (...Operations: readonly object[]) => ({ Operations });

describe('A member from a directory', () => {
  test('has the highest role that a group gives, in any case of its name, and the default role without such a group', async () => {
    const { scim, addUser, roleOf } = await stage();
    const [id, other] = [await addUser(), await addUser()];
    expect(await roleOf(id)).toBe('guest');
    const curators = await scim('POST', '/Groups', { displayName: 'CURATORS', members: [{ value: id }] });
    expect(await roleOf(id)).toBe('actionsAdmin');
    const leads = await scim('POST', '/Groups', { displayName: 'leads' });
    await scim('PATCH', `/Groups/${leads.body.id}`, op({ op: 'add', path: 'members', value: [{ value: id }] }));
    expect(await roleOf(id)).toBe('admin');
    await scim('PATCH', `/Groups/${leads.body.id}`, op({ op: 'remove', path: `members[value eq "${id}"]` }));
    expect(await roleOf(id)).toBe('actionsAdmin');
    await scim('PATCH', `/Groups/${curators.body.id}`, op({ op: 'replace', path: 'displayName', value: 'Readers' }));
    expect(await roleOf(id)).toBe('guest');
    await scim('PATCH', `/Groups/${curators.body.id}`, op({ op: 'replace', value: { displayName: 'Leads 2' } }));
    await scim('DELETE', `/Groups/${leads.body.id}`);
    await scim('PATCH', `/Groups/${curators.body.id}`, op({ op: 'replace', value: { displayName: 'Leads' } }));
    expect([await roleOf(id), await roleOf(other)]).toEqual(['admin', 'guest']);
    await scim('DELETE', `/Groups/${curators.body.id}`);
    expect(await roleOf(id)).toBe('guest');
  });

  test('gets another role when an Admin changes the roles of groups, once, even if the change is interrupted', async () => {
    const { scim, services, organizationId, setRoles, addUser, roleOf } = await stage();
    const ids = [await addUser(), await addUser(), await addUser()];
    await scim('POST', '/Groups', { displayName: 'Night shift', members: ids.map((value) => ({ value })) });
    const request = { organizationId, actor: OPERATOR, defaultRole: 'guest' as const };
    const groupRoles = [{ group: 'night shift', role: 'member' as const }];
    const dying = mortal(services, 2);
    await changeGroupRoles(dying.services, { ...request, groupRoles }).catch(() => undefined);
    await dying.settled();
    expect(dying.hasDied()).toBe(true);
    await setRoles(groupRoles);
    expect(await Promise.all(ids.map(roleOf))).toEqual(['member', 'member', 'member']);
    const { records } = await readAudit(services, { organizationId, actor: OPERATOR, limit: 50 });
    expect(records.filter(({ action }) => action === 'role changed')).toHaveLength(3);
    expect(records.filter(({ action }) => action === 'sign-in settings changed')).toHaveLength(2);
  });

  test('keeps a role that an Admin has given until the groups give another one', async () => {
    const { scim, services, organizationId, addUser, roleOf } = await stage();
    const id = await addUser();
    const entry = await services.table.get(directoryEntries, { organizationId, entryId: id });
    const accountId = entry?.accountId ?? '';
    await changeRole(services, { organizationId, accountId, role: 'member', actor: OPERATOR });
    await scim('POST', '/Groups', { displayName: 'Unknown here', members: [{ value: id }] });
    await scim('PATCH', `/Users/${id}`, op({ op: 'replace', path: 'displayName', value: 'Kim' }));
    expect(await roleOf(id)).toBe('member');
    await scim('POST', '/Groups', { displayName: 'Curators', members: [{ value: id }] });
    expect(await roleOf(id)).toBe('actionsAdmin');
  });

  test('who is the last Admin stays Admin when a group is left, and the directory gets an error, but not when deactivated', async () => {
    const here = await service();
    const { services, organizationId } = here;
    const { scim } = await directory(here);
    await changeGroupRoles(services, { organizationId, actor: OPERATOR, groupRoles: ROLES, defaultRole: 'member' });
    const { body: user } = await scim('POST', '/Users', { userName: 'last@acme.example' });
    const { body: group } = await scim('POST', '/Groups', { displayName: 'Leads', members: [{ value: user.id }] });
    const members = op({ op: 'replace', path: 'members', value: [] });
    const admins = async () => (await services.table.get(organizations, here, { consistent: true }))?.admins;
    expect(await admins()).toBe(1);
    const refused = await scim('PATCH', `/Groups/${group.id}`, members);
    expect({ status: refused.status, detail: refused.body.detail }).toEqual({
      status: 409,
      detail: expect.stringContaining('last Admin'),
    });
    expect((await scim('GET', `/Groups/${group.id}`)).body.members).toHaveLength(1);
    expect(await admins()).toBe(1);
    await scim('PATCH', `/Users/${user.id}`, op({ op: 'replace', path: 'active', value: false }));
    expect(await admins()).toBe(0);
  });
});

describe('A request of a directory that is interrupted after a write', () => {
  test.each<[string, (ids: readonly string[], groupId: string) => readonly [string, string, object?]]>([
    ['creates a user', () => ['POST', '/Users', { userName: 'new@acme.example', externalId: 'e9' }]],
    ['deactivates a user', ([id]) => ['PATCH', `/Users/${id}`, op({ op: 'replace', path: 'active', value: false })]],
    ['deletes a user', ([id]) => ['DELETE', `/Users/${id}`]],
    [
      'replaces the members and the name of a group',
      ([, ...ids], groupId) => [
        'PUT',
        `/Groups/${groupId}`,
        { displayName: 'Leads', members: ids.map((value) => ({ value })) },
      ],
    ],
    ['deletes a group', (_, groupId) => ['DELETE', `/Groups/${groupId}`]],
  ])('%s completely when it is repeated, and leaves no half of a person before', async (_, makeRequest) => {
    for (let after = 0, isOver = false; !isOver; after += 1) {
      const here = await stage();
      const { scim, services, organizationId, value, addUser, roleOf } = here;
      const ids = [await addUser(), await addUser(), await addUser()];
      const group = await scim('POST', '/Groups', {
        displayName: 'Curators',
        members: ids.slice(0, 2).map((id) => ({ value: id })),
      });
      const [method, path, body] = makeRequest(ids, group.body.id);
      const dying = mortal({ ...makeServices(here.environment), ...services }, after);
      await serveScim(dying.services, eventOf(method, path, value, body)).catch((error: unknown) => {
        if (!dying.hasDied()) throw error;
      });
      await dying.settled();
      isOver = !dying.hasDied();
      await expectWhole(here, ids);
      const again = await scim(method, path, body);
      expect(again.status, JSON.stringify(again.body)).toBeLessThan(
        method === 'DELETE' || method === 'POST' ? 410 : 300,
      );
      await expectWhole(here, ids);
      const entries = await Promise.all(
        ids.map((entryId) => services.table.get(directoryEntries, { organizationId, entryId }, { consistent: true })),
      );
      if (method === 'PUT') expect(await Promise.all(ids.map(roleOf))).toEqual(['guest', 'admin', 'admin']);
      if (path.startsWith('/Groups') && method === 'DELETE')
        expect(await Promise.all(ids.map(roleOf))).toEqual(['guest', 'guest', 'guest']);
      if (path.startsWith(`/Users/${ids[0]}`)) {
        expect(await roleOf(ids[0] ?? '')).toBeUndefined();
        expect(entries[0] === undefined).toBe(method === 'DELETE');
      }
      if (after > 30) throw new Error('The request never ends');
    }
  });

  /** Groups and people agree about each other, and people with their memberships. */
  async function expectWhole({ scim, roleOf }: Awaited<ReturnType<typeof stage>>, ids: readonly string[]) {
    const { body } = await scim('GET', '/Groups');
    const groupsOf = (id: string) =>
      body.Resources.filter(({ members }: { members: { value: string }[] }) => members.some((one) => one.value === id));
    for (const id of ids) {
      const user = await scim('GET', `/Users/${id}`);
      if (user.status === 404) {
        expect(groupsOf(id)).toEqual([]);
        continue;
      }
      expect(user.body.groups.map(({ value }: { value: string }) => value).sort()).toEqual(
        groupsOf(id)
          .map((group: { id: string }) => group.id)
          .sort(),
      );
      expect(user.body.active).toBe((await roleOf(id)) !== undefined);
    }
  }
});

const eventOf = (method: string, path: string, token: string, body: object | undefined) => ({
  httpMethod: method,
  resource: '/scim/{path+}',
  path: `/scim/v2${path}`,
  pathParameters: null,
  multiValueHeaders: { authorization: [`Bearer ${token}`] },
  multiValueQueryStringParameters: null,
  requestContext: { requestId: 'r', identity: { sourceIp: '127.0.0.1' } },
  body: body === undefined ? '' : JSON.stringify(body),
  isBase64Encoded: false,
});
