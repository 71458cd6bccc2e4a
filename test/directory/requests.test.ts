/** §5 Tokens, other organizations, lists, versions and hostile requests. */
import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { createScimToken, revokeScimToken } from '#shared/directory/tokens.ts';
import { put } from '#shared/engine/table/writes.ts';
import { directoryEntries } from '#shared/model/directory/directory-entry.ts';
import { directoryNames } from '#shared/model/directory/directory-name.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { accessToken } from '#test/harness/access-tokens.ts';
import { attack } from '#test/harness/attacks.ts';
import { client } from '#test/harness/client.ts';
import { directory, scimClient } from '#test/harness/directory.ts';
import { token } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';
import { itemsOf } from '#test/harness/table-rows.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { ask } from '#test/mcp/agents.ts';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
const op = (...Operations: readonly unknown[]) => ({ Operations });

describe('A SCIM token', () => {
  test('is shown once and stored as a hash, and an organization has at most two, even with concurrent requests', async () => {
    const here = await service();
    const { services, organizationId, environment } = here;
    const create = () => createScimToken(services, { organizationId, actor: OPERATOR }).catch(() => undefined);
    const tokens = (await Promise.all(Array.from({ length: 6 }, create))).flatMap((one) => one ?? []);
    expect(tokens).toHaveLength(2);
    const rows = JSON.stringify(await itemsOf(environment, () => true));
    for (const { value } of tokens) expect(rows).not.toContain(value);
  });

  test('opens nothing but the directory of its organization, and no other credential opens a directory', async () => {
    const here = await service();
    const { origin, keys } = here;
    const { value } = await directory(here);
    const personal = await token(here);
    const person = await signedIn(here, 'admin');
    const access = await accessToken(here);
    expect((await client(origin, value).get('/projects')).status).toBe(401);
    expect((await ask(origin, value, 'tools/list')).status).toBe(401);
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    const credentials = [
      ...[keys.readOnly, keys.readWrite, personal.value, access.value].map((one) => `Bearer ${one}`),
      basic(`scim:${value}`),
      basic(value),
      value,
      `Bearer ${value.slice(0, -1)}`,
      `Bearer ${value}x`,
      `Bearer ${value}, Bearer ${value}`,
      `Bearer rdn_scim_${'0'.repeat(42)}`,
      'Bearer ',
      '',
      undefined,
    ];
    for (const credential of credentials) {
      for (const [method, path] of [
        ['GET', '/Users'],
        ['POST', '/Users'],
        ['DELETE', '/Groups/x'],
        ['GET', '/nothing'],
      ] as const) {
        const answer = await scimClient(origin, credential)(
          method,
          path,
          method === 'POST' ? '{"userName": ' : undefined,
        );
        attack('unusable credentials');
        expect({ credential, status: answer.status, schemas: answer.body.schemas }).toEqual({
          credential,
          status: 401,
          schemas: [ERROR],
        });
      }
    }
    const inQuery = await scimClient(origin, undefined)('GET', `/Users?access_token=${value}&authorization=${value}`);
    const inCookie = await scimClient(origin, undefined)('GET', '/Users', undefined, { cookie: person.cookie });
    expect([inQuery.status, inCookie.status]).toEqual([401, 401]);
  });

  test('is refused from the next request on after it is revoked, or its organization is deactivated', async () => {
    const here = await service();
    const { services, organizationId } = here;
    const [one, other] = [await directory(here), await directory(here)];
    const statuses = async () => [(await one.scim('GET', '/Users')).status, (await other.scim('GET', '/Users')).status];
    expect(await statuses()).toEqual([200, 200]);
    await revokeScimToken(services, { organizationId, actor: OPERATOR, tokenId: one.tokenId });
    expect(await statuses()).toEqual([401, 200]);
    await deactivateOrganization(services, { organizationId, actor: OPERATOR });
    expect(await statuses()).toEqual([401, 401]);
  });
});

describe('The directories of two organizations', () => {
  test('have the same people and groups without seeing or changing each other', async () => {
    const here = await service();
    const there = { ...here, ...(await here.tenant('Elsewhere')) };
    const [one, two] = [await directory(here), await directory(there)];
    const user = { userName: 'kim@acme.example', externalId: 'e1' };
    const [own, foreign] = [await one.scim('POST', '/Users', user), await two.scim('POST', '/Users', user)];
    const group = await two.scim('POST', '/Groups', { displayName: 'Leads', members: [{ value: foreign.body.id }] });
    expect([own.status, foreign.status, group.status]).toEqual([201, 201, 201]);
    const before = (await two.scim('GET', `/Users/${foreign.body.id}`)).body;
    const off = op({ op: 'replace', path: 'active', value: false });
    const ways: readonly (readonly [string, string, unknown?])[] = [
      ['GET', `/Users/${foreign.body.id}`],
      ['PUT', `/Users/${foreign.body.id}`, { ...user, active: false }],
      ['PATCH', `/Users/${foreign.body.id}`, off],
      ['DELETE', `/Users/${foreign.body.id}`],
      ['GET', `/Groups/${group.body.id}`],
      ['PUT', `/Groups/${group.body.id}`, { displayName: 'Mine' }],
      ['PATCH', `/Groups/${group.body.id}`, op({ op: 'replace', path: 'members', value: [] })],
      ['DELETE', `/Groups/${group.body.id}`],
    ];
    for (const [method, path, body] of ways) {
      attack('foreign ids');
      expect({ method, path, status: (await one.scim(method, path, body)).status }).toEqual({
        method,
        path,
        status: 404,
      });
    }
    const ownGroup = await one.scim('POST', '/Groups', { displayName: 'Leads' });
    const added = await one.scim(
      'PATCH',
      `/Groups/${ownGroup.body.id}`,
      op({ op: 'add', path: 'members', value: [{ value: foreign.body.id }] }),
    );
    expect(added.status).toBe(400);
    expect((await two.scim('GET', `/Users/${foreign.body.id}`)).body).toEqual(before);
    expect((await one.scim('GET', '/Users')).body.Resources.map(({ id }: { id: string }) => id)).toEqual([own.body.id]);
  });
});

describe('A list of users', () => {
  test('has each of 1,000 users exactly once, in pages', async () => {
    const here = await service();
    const { services, organizationId } = here;
    const { scim } = await directory(here);
    const entries = Array.from({ length: 1000 }, (_, index) => {
      const entryId = `u${index}`;
      const userName = `user-${index}@acme.example`;
      const times = { createdAt: 0, updatedAt: 0, version: 1 };
      const entry = { organizationId, entryId, userName, active: false, accountId: `a${index}`, groups: [], ...times };
      return { ...entry, role: 'member' as const };
    });
    await services.table.writeMany(
      entries.flatMap((entry) => [
        put(directoryEntries, entry),
        put(directoryNames, { organizationId, of: 'USER' as const, name: entry.userName, id: entry.entryId }),
      ]),
    );
    const ids: string[] = [];
    for (let startIndex = 1; startIndex <= 1000; ) {
      const { body } = await scim('GET', `/Users?startIndex=${startIndex}&count=300`);
      expect(body).toMatchObject({ totalResults: 1000, itemsPerPage: 100, startIndex });
      ids.push(...body.Resources.map(({ id }: { id: string }) => id));
      startIndex += body.itemsPerPage;
    }
    expect(new Set(ids).size).toBe(1000);
    const outside = ['startIndex=1001', 'count=0', 'count=-3', 'startIndex=1001&count=5'];
    for (const query of outside)
      expect((await scim('GET', `/Users?${query}`)).body).toMatchObject({ totalResults: 1000, itemsPerPage: 0 });
    expect((await scim('GET', '/Users?startIndex=-1&count=1')).body).toMatchObject({ startIndex: 1, itemsPerPage: 1 });
  });

  test.each([
    'userName sw "kim"',
    'userName eq kim',
    'userName eq "kim',
    'userName eq "kim" or userName eq "lee"',
    'not (userName eq "kim")',
    'title pr',
    'active eq true',
    'nickName eq "kim"',
    'emails[type eq "work"',
    'emails[type eq "work"].display eq "x"',
    `userName eq "${'a'.repeat(5000)}"`,
    Array.from({ length: 20 }, () => 'userName eq "a"').join(' and '),
    '__proto__ eq "x"',
    ' ',
  ])('refuses the filter %s', async (filter) => {
    const here = await service();
    const { scim } = await directory(here);
    const { status, body } = await scim('GET', `/Users?filter=${encodeURIComponent(filter)}`);
    expect({ status, type: body.scimType }).toEqual({ status: 400, type: 'invalidFilter' });
  });

  test('understands escapes in a filter, several terms, and the attributes that are wanted', async () => {
    const here = await service();
    const { scim } = await directory(here);
    const userName = 'kim "the\\tester"@acme.example';
    const emails = [{ value: 'kim@acme.example', type: 'work' }];
    const { body } = await scim('POST', '/Users', { userName, emails, externalId: 'E1' });
    expect(body.userName).toBe(userName);
    const find = async (filter: string) =>
      (await scim('GET', `/Users?attributes=userName&filter=${encodeURIComponent(filter)}`)).body;
    const found = await find(`USERNAME Eq ${JSON.stringify(userName)} and active eq true`);
    expect(found.Resources).toEqual([expect.objectContaining({ id: body.id, userName })]);
    expect(Object.keys(found.Resources[0]).sort()).toEqual(['id', 'meta', 'schemas', 'userName']);
    expect((await find(`userName eq ${JSON.stringify(userName)} and externalId eq "e1"`)).totalResults).toBe(0);
    expect((await find('urn:ietf:params:scim:schemas:core:2.0:User:externalId eq "E1"')).totalResults).toBe(1);
    expect((await find('emails.value eq "KIM@acme.example"')).totalResults).toBe(1);
  });
});

describe('The version of a resource', () => {
  test('changes with each change, saves a read that is not needed, and refuses a change of another version', async () => {
    const here = await service();
    const { scim } = await directory(here);
    const created = await scim('POST', '/Users', { userName: 'kim@acme.example' });
    const path = `/Users/${created.body.id}`;
    const etag = created.headers.get('etag') ?? '';
    expect(etag).toBe(created.body.meta.version);
    expect((await scim('GET', path, undefined, { 'if-none-match': etag })).status).toBe(304);
    const rename = op({ op: 'replace', path: 'displayName', value: 'Kim' });
    const renamed = await scim('PATCH', path, rename, { 'if-match': etag });
    expect(renamed.status).toBe(200);
    const repeated = await scim('PATCH', path, rename);
    expect(repeated.headers.get('etag')).toBe(renamed.headers.get('etag'));
    for (const [method, body] of [
      ['PATCH', rename],
      ['PUT', { userName: 'lee@acme.example' }],
      ['DELETE', undefined],
    ] as const)
      expect((await scim(method, path, body, { 'if-match': etag })).status).toBe(412);
    expect((await scim('GET', path, undefined, { 'if-none-match': etag })).status).toBe(200);
    const group = await scim('POST', '/Groups', { displayName: 'Leads' });
    const groupPath = `/Groups/${group.body.id}`;
    const add = op({ op: 'add', path: 'members', value: [{ value: created.body.id }] });
    expect((await scim('PATCH', groupPath, add, { 'if-match': group.headers.get('etag') ?? '' })).status).toBe(204);
    expect((await scim('DELETE', groupPath, undefined, { 'if-match': group.headers.get('etag') ?? '' })).status).toBe(
      412,
    );
    expect((await scim('DELETE', groupPath, undefined, { 'if-match': '*' })).status).toBe(204);
  });
});

describe('A hostile request', () => {
  test.each<[string, string, unknown]>([
    ['no JSON', 'POST', '{"userName": '],
    ['an empty body', 'POST', ''],
    ['a list', 'POST', []],
    ['a text', 'POST', '"kim"'],
    ['a user without a name', 'POST', {}],
    ['a user without an address', 'POST', { userName: 'kim' }],
    ['a number as a name', 'POST', { userName: 5 }],
    ['a long name', 'POST', { userName: `${'a'.repeat(300)}@acme.example` }],
    ['half a character', 'POST', '{"userName":"\\ud800@acme.example"}'],
    ['a text as a flag', 'POST', { userName: 'kim@acme.example', active: 'maybe' }],
    [
      'many addresses',
      'POST',
      { userName: 'k@a.example', emails: Array.from({ length: 50 }, (_, n) => ({ value: `${n}@a.example` })) },
    ],
    ['an address that is none', 'POST', { userName: 'kim@', emails: [] }],
    ['a prototype', 'POST', '{"userName":"kim@acme.example","__proto__":{"polluted":true}}'],
    ['deep nesting', 'POST', `{"userName":"kim@acme.example","x":${'['.repeat(5000)}${']'.repeat(5000)}}`],
    ['no operations', 'PATCH', op()],
    ['operations that are no list', 'PATCH', { Operations: { op: 'replace' } }],
    ['an operation that is no object', 'PATCH', op(null)],
    ['an unknown operation among others', 'PATCH', op({ op: 'replace', path: 'active', value: false }, { op: 'move' })],
    ['a path that is no text', 'PATCH', op({ op: 'replace', path: {}, value: 1 })],
    ['a path that is none', 'PATCH', op({ op: 'replace', path: 'emails[', value: 1 })],
    ['a long path', 'PATCH', op({ op: 'replace', path: 'a'.repeat(5000), value: 1 })],
    ['the removal of everything', 'PATCH', op({ op: 'remove' })],
    ['the removal of the user name', 'PATCH', op({ op: 'remove', path: 'userName' })],
    ['the removal of the flag', 'PATCH', op({ op: 'remove', path: 'active' })],
    ['a path into the prototype', 'PATCH', op({ op: 'add', path: 'name.__proto__.polluted', value: true })],
    [
      'too many operations',
      'PATCH',
      op(...Array.from({ length: 1000 }, () => ({ op: 'add', path: 'title', value: 'x' }))),
    ],
  ])('with %s gets an error of SCIM, and changes nothing', async (_, method, body) => {
    const here = await service();
    const { scim } = await directory(here);
    const { body: user } = await scim('POST', '/Users', { userName: `${crypto.randomUUID()}@acme.example` });
    const before = (await scim('GET', `/Users/${user.id}`)).body;
    const answer = await scim(method, method === 'POST' ? '/Users' : `/Users/${user.id}`, body);
    attack('hostile bodies');
    expect({ status: [400, 413].includes(answer.status), body: answer.body }).toEqual({
      status: true,
      body: expect.objectContaining({ schemas: [ERROR], status: String(answer.status) }),
    });
    expect((await scim('GET', `/Users/${user.id}`)).body).toEqual(before);
    expect((await scim('GET', '/Users')).body.totalResults).toBe(1);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('with a path into the prototype that is harmless is accepted and forgotten', async () => {
    const here = await service();
    const { scim } = await directory(here);
    const { body } = await scim('POST', '/Users', { userName: `${crypto.randomUUID()}@acme.example` });
    const { status } = await scim(
      'PATCH',
      `/Users/${body.id}`,
      op({ op: 'add', path: '__proto__', value: { polluted: 1 } }),
    );
    expect(status).toBe(200);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test.each([
    ['PUT', '/Users', 405],
    ['DELETE', '/ServiceProviderConfig', 405],
    ['GET', '/Users/a/b', 404],
    ['GET', '/%00', 404],
    ['GET', '/Bulk', 404],
    ['POST', '/.search', 501],
    ['GET', '/Schemas/unknown', 404],
  ])('%s %s gets a %i of SCIM', async (method, path, expected) => {
    const here = await service();
    const { scim } = await directory(here);
    const { status, body } = await scim(method, path);
    expect({ status, schemas: body.schemas }).toEqual({ status: expected, schemas: [ERROR] });
  });
});
