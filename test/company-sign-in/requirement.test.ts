import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { signInSettings } from '#shared/model/organizations/sign-in-settings.ts';
import { findCompanyAccount } from '#shared/organizations/create-account.ts';
import { changeRole, listMembers } from '#shared/organizations/members.ts';
import { createSignInLink } from '#shared/sign-in/links.ts';
import { signedInWithPasskey, usePasskey } from '#test/harness/passkey.ts';
import { member, token } from '#test/harness/people.ts';
import { cookieOf, signIn, visitor } from '#test/harness/visitor.ts';
import { company, goThrough, sessionOf } from './stage.ts';

async function stage() {
  const here = await company();
  const { organizationId } = here;
  const settings = `/${organizationId}/settings/company-sign-in`;
  const kim = await here.signIn();
  const account = await findCompanyAccount(here.services, { ...here, email: 'kim@acme.example' });
  const accountId = account?.accountId ?? '';
  await changeRole(here.services, { ...here.by, accountId, role: 'admin' });
  return { ...here, kim, accountId, settings };
}

const REQUIRE = { required: 'true' };
const locationOf = ({ headers }: { readonly headers: Headers }) => headers.get('location');

describe('A required company sign-in', () => {
  test('can be switched on only in a session that the company has started', async () => {
    const here = await stage();
    const other = await signIn(here, await member(here, 'admin'));
    const refusal = await other.post(`${here.settings}/requirement`, REQUIRE);
    expect(refusal.status).toBe(409);
    expect(refusal.text).toContain('Sign in with your company once before you require it for everybody');
    expect((await here.kim.post(`${here.settings}/requirement`, REQUIRE)).status).toBe(303);
  });

  test('leads every other session to the company, and back to the page', async () => {
    const here = await stage();
    const account = await member(here, 'admin');
    const { person, device } = await signedInWithPasskey(here, account);
    const path = `/${here.organizationId}/settings/members`;
    expect((await person.get(path)).status).toBe(200);
    await here.kim.post(`${here.settings}/requirement`, REQUIRE);
    const way = `/sign-in/company/${here.organizationId}?return_to=${encodeURIComponent(path)}`;
    const again = visitor(here.origin, cookieOf(await usePasskey(here, device)));
    expect(locationOf(await again.get(path))).toBe(way);
    expect((await again.get('/account')).text).toContain('needs company sign-in');
    // Their forms are led there as well, and change nothing.
    const removal = await again.post(`/${here.organizationId}/settings/members/${here.accountId}/remove`);
    expect(locationOf(removal)).toContain(`/sign-in/company/${here.organizationId}`);
    expect(await listMembers(here.services, here.by)).toHaveLength(2);
  });

  test('gives no token and no consent to other sessions, but leaves existing tokens alone', async () => {
    const here = await stage();
    const existing = await token(here);
    const { device } = await signedInWithPasskey(here, existing.owner);
    await here.kim.post(`${here.settings}/requirement`, REQUIRE);
    const again = visitor(here.origin, cookieOf(await usePasskey(here, device)));
    const { organizationId } = here;
    const created = await again.post('/account/tokens/new', { organizationId, name: 'x', permissions: 'results:read' });
    expect(created.status).toBeGreaterThanOrEqual(400);
    expect((await existing.api.get('/projects')).status).toBe(200);
  });

  test('lets a sign-in link of the operator in, so that an outage of the provider locks nobody out', async () => {
    const here = await stage();
    await here.kim.post(`${here.settings}/requirement`, REQUIRE);
    const { secret } = await createSignInLink(here.services, {
      actor: OPERATOR,
      email: 'kim@acme.example',
      organizationId: here.organizationId,
    });
    const answer = await visitor(here.origin).post('/sign-in/link', { code: secret });
    const kim = visitor(here.origin, sessionOf(answer));
    expect((await kim.get(here.settings)).status).toBe(200);
    expect((await kim.post(`${here.settings}/requirement`, { required: 'false' })).status).toBe(303);
  });
});

describe('A session of company sign-in', () => {
  test('ends when the provider is disconnected or replaced, and when the identity is ended', async () => {
    const here = await stage();
    const isIn = async (person = here.kim) => (await person.get(here.settings)).status === 200;
    await here.save({ name: 'Another name', clientSecret: undefined });
    expect(await isIn()).toBe(true);
    await here.save({ clientId: 'another' });
    expect(await isIn()).toBe(false);
    await here.save();
    const again = await here.signIn();
    expect(await isIn(again)).toBe(true);
    const end = `/${here.organizationId}/settings/members/${here.accountId}/end-identity`;
    expect((await again.post(end)).status).toBe(303);
    expect(await isIn(again)).toBe(false);
  });

  test('is confirmed by the same identity at the provider, and by no other', async () => {
    const here = await stage();
    const fresh = await goThrough(here, here.kim, () => {}, 'start?confirm=true');
    expect([fresh.status, sessionOf(fresh)]).toEqual([303, expect.stringContaining('rdn_ses')]);
    const kim = visitor(here.origin, sessionOf(fresh));
    here.provider.person = { sub: 'other', email: 'other@acme.example', email_verified: true };
    const wrong = await goThrough(here, kim, () => {}, 'start?confirm=true');
    expect([wrong.status, sessionOf(wrong)]).toEqual([403, '']);
    here.provider.person = { sub: 'kim', email: 'kim@acme.example' };
    here.provider.lie = { auth_time: Math.floor(Date.now() / 1000) - 3600 };
    const stale = await goThrough(here, kim, () => {}, 'start?confirm=true');
    expect([stale.status, sessionOf(stale)]).toEqual([403, '']);
  });
});

describe('A member with an account of their own', () => {
  test('connects it, and then signs in with the company as the same member', async () => {
    const here = await company();
    const alex = await member(here, 'actionsAdmin');
    const own = await signIn(here, alex);
    here.provider.person = { sub: 'alex', email: alex.email, email_verified: true };
    const before = await here.comeBack();
    expect(before.text).toContain('connect the company sign-in on your account page');
    await goThrough(here, own, () => {}, 'connect');
    await here.signIn();
    expect(await listMembers(here.services, here.by)).toMatchObject([
      { accountId: alex.accountId, role: 'actionsAdmin' },
    ]);
  });

  test('cannot connect an identity that belongs to another member', async () => {
    const here = await stage();
    const own = await signIn(here, await member(here, 'member'));
    const answer = await goThrough(here, own, () => {}, 'connect');
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('already belongs to another member')]);
  });
});

describe('The groups of a person', () => {
  test('decide the role at each sign-in, the highest wins, and the last Admin stays', async () => {
    const here = await company(undefined, { groupsClaim: 'groups' });
    const { organizationId, services, provider } = here;
    await services.table.put(signInSettings, {
      organizationId,
      groupRoles: [
        { group: 'Engineers', role: 'actionsAdmin' },
        { group: 'Leads', role: 'admin' },
      ],
      updatedAt: 1,
    });
    const roleWith = async (groups: unknown) => {
      provider.person = { sub: 'kim', email: 'kim@acme.example', email_verified: true, groups };
      await here.signIn();
      const account = await findCompanyAccount(services, { organizationId, email: 'kim@acme.example' });
      const members = await listMembers(services, here.by);
      return members.find(({ accountId }) => accountId === account?.accountId)?.role;
    };
    expect(await roleWith(['engineers', 'others'])).toBe('actionsAdmin');
    expect(await roleWith(['Engineers', 'LEADS'])).toBe('admin');
    expect(await roleWith(['Engineers'])).toBe('admin');
    await member(here, 'admin');
    expect(await roleWith([])).toBe('member');
    expect(await roleWith('Leads')).toBe('member');
    expect(await roleWith(undefined)).toBe('member');
  });
});
