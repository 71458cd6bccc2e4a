import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { PERMISSIONS } from '#shared/model/organizations/permissions.ts';
import { listPersonalTokens } from '#shared/organizations/list-personal-tokens.ts';
import { changeRole } from '#shared/organizations/members.ts';
import { client } from '#test/harness/client.ts';
import { member, token } from '#test/harness/people.ts';
import { clock, service } from '#test/harness/service.ts';
import { type Shown, signedIn, signIn } from '#test/harness/visitor.ts';
import { fillIn, refusedFields, valuesOf } from './form-of.ts';

const NEW = '/account/tokens/new';

async function stage() {
  const here = await service();
  const owner = await member(here, 'admin');
  const tokens = () => listPersonalTokens(here.services, { organizationId: here.organizationId, actor: OPERATOR });
  return { ...here, owner, tokens, all: `/${here.organizationId}/settings/tokens`, admin: await signIn(here, owner) };
}

let shared: ReturnType<typeof stage> | undefined;
/** Refused forms change nothing, so the tests of refusals share one organization. */
const sharedStage = () => (shared ??= stage());

const valueIn = ({ text }: Shown): string => /rdn_pat_[0-9A-Za-z]{42}/.exec(text)?.[0] ?? 'no token';
const day = (date: string) => new Date(`${date}T23:59:59.999Z`).getTime();

describe('§5.2 A personal access token', () => {
  test('A personal access token is created with the read permissions that its write permissions imply, and expires after 30 days by default', async () => {
    const { admin, tokens, origin, owner } = await stage();
    const created = await fillIn(admin, NEW, { name: 'laptop', permissions: 'projects:write' });
    expect([created.status, created.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const me = await client(origin, valueIn(created)).get('/me');
    expect(me.status).toBe(200);
    expect(await tokens()).toEqual([
      expect.objectContaining({
        name: 'laptop',
        description: null,
        permissions: ['projects:read', 'projects:write'],
        accountId: owner.accountId,
        validUntil: day('2026-12-02'),
      }),
    ]);
  });

  test.each([
    ['7d', '', '2026-11-09'],
    ['90d', '', '2027-01-31'],
    ['1y', '', '2027-11-02'],
    ['30d', '2026-11-03', '2026-11-03'],
  ])('A token with the lifetime %s and the last day "%s" expires at the end of %s', async (lifetime, lastDay, end) => {
    const { admin, tokens } = await stage();
    await fillIn(admin, NEW, { name: 'x', permissions: 'results:read', lifetime, lastDay });
    expect((await tokens()).map(({ validUntil }) => validUntil)).toEqual([day(end)]);
  });

  test.each([
    [{ name: ' ' }, 'The name of a token must be one line of 1 to 64 characters'],
    [{ permissions: '' }, 'Unknown permission'],
    [{ permissions: 'openid' }, 'Unknown permission'],
    [{ permissions: 'shares:write' }, 'Unknown permission'],
    [{ description: 'x'.repeat(257) }, 'at most 256 characters'],
    [{ lastDay: '2026-11-02' }, 'The lifetime of a token must be'],
    [{ lastDay: '2027-11-03' }, 'The lifetime of a token must be'],
    [{ lifetime: '31d' }, 'The lifetime of a token must be'],
  ])(
    'A personal access token is not created with the value %j, and the form shows an error and keeps what was entered',
    async (wrong, message) => {
      const { admin, tokens } = await sharedStage();
      const given = { name: '"><b>kept', description: 'kept', permissions: 'runs:write', lifetime: '60d', ...wrong };
      const refused = await fillIn(admin, NEW, given);
      expect(refused.status).toBe(400);
      expect(refused.text).toContain(message);
      const { permissions, ...texts } = given;
      expect(valuesOf(refused)).toMatchObject({ ...texts, lifetime: given.lifetime === '31d' ? '7d' : '60d' });
      const [field] = Object.keys(wrong).map((name) => (name === 'lifetime' ? 'lastDay' : name));
      expect(refusedFields(refused)).toEqual([field]);
      if (permissions === 'runs:write') expect(valuesOf(refused)).toMatchObject({ permissions });
      expect(await tokens()).toEqual([]);
    },
  );

  test('A personal access token needs at least one permission, and the form shows the error beside the permissions', async () => {
    const { admin } = await sharedStage();
    const refused = await fillIn(admin, NEW, { name: 'none' });
    expect(refused.text).toContain('A token needs at least one permission');
    expect(refusedFields(refused)).toEqual(['permissions']);
  });

  test('The form for a personal access token offers all permissions, and marks the write permissions that include a read permission', async () => {
    const { html } = await (await sharedStage()).admin.get(NEW);
    for (const permission of PERMISSIONS) expect(html).toContain(`name="permissions" value="${permission}"`);
    expect(html.match(/data-includes="[a-z:]+"/g)).toEqual([
      'data-includes="projects:read"',
      'data-includes="actions:read"',
      'data-includes="webhooks:read"',
    ]);
  });

  test('A personal access token is created once even if its form is sent several times concurrently', async () => {
    const { admin, tokens } = await stage();
    const form = { ...valuesOf(await admin.get(NEW)), name: 'once', permissions: 'results:read' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => admin.post(NEW, form)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 5 }, () => 409)]);
    expect(await tokens()).toHaveLength(1);
  });

  test('A personal access token can be created only in organizations in which the person is an Admin', async () => {
    const here = await stage();
    const { organizationId } = await here.tenant('Other');
    expect((await fillIn(here.admin, NEW, { organizationId, name: 'x', permissions: 'results:read' })).status).toBe(
      404,
    );
    const guest = await signedIn(here, 'guest');
    expect((await guest.get(NEW)).text).toContain('Only Admins of an organization can create tokens');
    const form = { ...valuesOf(await here.admin.get(NEW)), name: 'x', permissions: 'results:read' };
    expect((await guest.post(NEW, form)).status).toBe(403);
    expect(await here.tokens()).toEqual([]);
  });

  test('A personal access token is revoked by its owner after a confirmation, and stays listed', async () => {
    const here = await stage();
    const { tokenId, api } = await token(here, { owner: here.owner, name: 'old' });
    const path = `${here.all}/${tokenId}/revoke`;
    expect((await here.admin.get('/account/tokens')).links).toContain(path);
    expect((await here.admin.get(path)).text).toContain('Revoke the token old?');
    expect((await here.admin.post(path)).headers.get('location')).toBe(here.all);
    expect((await here.admin.post(path)).status).toBe(303);
    expect((await api.get('/me')).status).toBe(401);
    expect((await here.admin.get('/account/tokens')).text).toContain('revoked');
  });

  test('A former Admin can revoke their own tokens, but not the tokens of other people', async () => {
    const here = await stage();
    const { tokenId } = await token(here, { owner: here.owner, name: 'mine' });
    const { tokenId: foreign } = await token(here, { name: 'theirs' });
    await member(here, 'admin');
    await changeRole(here.services, { ...here, accountId: here.owner.accountId, role: 'guest', actor: OPERATOR });
    expect((await here.admin.get(here.all)).status).toBe(403);
    expect((await here.admin.get(`${here.all}/${foreign}/revoke`)).status).toBe(404);
    expect((await here.admin.post(`${here.all}/${foreign}/revoke`)).status).toBe(403);
    expect((await here.admin.post(`${here.all}/unknown/revoke`)).status).toBe(403);
    expect((await here.admin.post(`${here.all}/${tokenId}/revoke`)).headers.get('location')).toBe('/account/tokens');
  });

  test('A personal access token is listed with its owner, and other Admins can revoke it', async () => {
    const here = await stage();
    const { tokenId, api } = await token(here, { name: 'theirs' });
    const list = await here.admin.get(here.all);
    expect(list.text).toContain('Alex Doe');
    expect((await here.admin.get('/account/tokens')).text).toContain('You have no token');
    expect((await here.admin.post(`${here.all}/${tokenId}/revoke`)).status).toBe(303);
    expect((await api.get('/me')).status).toBe(401);
  });

  test('A personal access token is shown as active, expiring soon or expired', async () => {
    const here = await stage();
    await token(here, { owner: here.owner, lifetime: '30d' });
    const state = async () => {
      const { text } = await (await signIn(here, here.owner)).get('/account/tokens');
      return /expires soon|expired|active/.exec(text)?.[0];
    };
    expect(await state()).toBe('active');
    clock.set('2026-11-26T00:00:00.000Z');
    expect(await state()).toBe('expires soon');
    clock.set('2026-12-03T00:00:00.000Z');
    expect(await state()).toBe('expired');
  });
});
