import { describe, expect, test } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { listInvitations } from '#shared/organizations/invitations.ts';
import { joinOrganization } from '#shared/organizations/join-organization.ts';
import { listMembers } from '#shared/organizations/members.ts';
import { member, token } from '#test/harness/people.ts';
import { clock, service } from '#test/harness/service.ts';
import { type Shown, signedIn, signIn } from '#test/harness/visitor.ts';
import { fillIn, refusedFields, valuesOf } from './form-of.ts';

async function stage() {
  const here = await service();
  const boss = await member(here, 'admin');
  const by = { organizationId: here.organizationId, actor: OPERATOR };
  const members = `/${here.organizationId}/settings/members`;
  return {
    ...here,
    boss,
    by,
    members,
    invite: `${members}/invite`,
    admin: await signIn(here, boss),
    roles: async () => (await listMembers(here.services, by)).map(({ role }) => role).sort(),
    open: async () => (await listInvitations(here.services, by)).map(({ email }) => email),
  };
}

let shared: ReturnType<typeof stage> | undefined;
/** Refused forms change nothing, so the tests of refusals share one organization. */
const sharedStage = () => (shared ??= stage());

const secretIn = ({ text }: Shown): string => /rdn_inv_[0-9A-Za-z]{42}/.exec(text)?.[0] ?? 'no secret';
const LAST = 'This is the last Admin of the organization';

describe('A member', () => {
  test('An Admin can change the role of a member', async () => {
    const here = await stage();
    const { accountId } = await member(here, 'guest');
    const path = `${here.members}/${accountId}`;
    expect((await here.admin.get(here.members)).links).toContain(path);
    const saved = await fillIn(here.admin, path, { role: 'actionsAdmin' });
    expect([saved.status, saved.headers.get('location')]).toEqual([303, here.members]);
    expect(await here.roles()).toEqual(['actionsAdmin', 'admin']);
    expect((await here.admin.post(path, { role: 'owner' })).status).toBe(400);
  });

  test('When an Admin removes a member, the tokens of the member become invalid immediately, and open sessions no longer show the organization', async () => {
    const here = await stage();
    const other = await member(here, 'admin');
    const { api } = await token(here, { owner: other });
    const session = await signIn(here, other);
    const removed = await here.admin.post(`${here.members}/${other.accountId}/remove`);
    expect([removed.status, removed.headers.get('location')]).toEqual([303, here.members]);
    expect((await api.get('/me')).status).toBe(401);
    expect((await session.get(here.members)).status).toBe(404);
    expect((await here.admin.post(`${here.members}/${other.accountId}/remove`)).status).toBe(404);
  });

  test('can leave the organization after a confirmation', async () => {
    const here = await stage();
    const guest = await signedIn(here, 'guest');
    const leave = `/${here.organizationId}/settings/leave`;
    expect((await guest.get(here.members)).links).toContain(leave);
    expect((await guest.get(leave)).text).toContain('To come back, you will need an invitation');
    expect((await guest.post(leave)).headers.get('location')).toBe('/');
    expect(await here.roles()).toEqual(['admin']);
    expect((await guest.post(leave)).status).toBe(404);
  });

  test('The last Admin cannot leave, be removed or get another role, and the page says why', async () => {
    const here = await stage();
    const own = `${here.members}/${here.boss.accountId}`;
    const answers = [
      await here.admin.post(own, { role: 'guest' }),
      await here.admin.post(`${own}/remove`),
      await here.admin.post(`/${here.organizationId}/settings/leave`),
    ];
    for (const { status, text } of answers) expect([status, text]).toEqual([409, expect.stringContaining(LAST)]);
    expect(valuesOf(answers[0] ?? (await here.admin.get(own)))).toMatchObject({ role: 'guest' });
    expect(await here.roles()).toEqual(['admin']);
  });

  test('An Admin who removes themselves is redirected to the home page', async () => {
    const here = await stage();
    await member(here, 'admin');
    const removed = await here.admin.post(`${here.members}/${here.boss.accountId}/remove`);
    expect(removed.headers.get('location')).toBe('/');
  });

  test('If two Admins demote each other at the same time, one of them stays an Admin', async () => {
    const here = await stage();
    const other = await member(here, 'admin');
    const second = await signIn(here, other);
    await Promise.all([
      here.admin.post(`${here.members}/${other.accountId}`, { role: 'guest' }),
      second.post(`${here.members}/${here.boss.accountId}`, { role: 'guest' }),
    ]);
    expect(await here.roles()).toEqual(['admin', 'guest']);
  });

  test('cannot be opened, changed or removed at the URL of another organization', async () => {
    const here = await stage();
    const foreign = await member({ ...here, ...(await here.tenant('Other')) }, 'member');
    const path = `${here.members}/${foreign.accountId}`;
    expect((await here.admin.get(path)).status).toBe(404);
    expect((await here.admin.post(path, { role: 'admin' })).status).toBe(404);
    expect((await here.admin.post(`${path}/remove`)).status).toBe(404);
  });

  test('An Actions Admin sees no links that change members, and no invitations', async () => {
    const here = await stage();
    const seen = await (await signedIn(here, 'actionsAdmin')).get(here.members);
    expect(seen.links.filter((link) => link.startsWith(`${here.members}/`))).toEqual([]);
    expect(seen.text).not.toContain('Invitations');
  });
});

describe('Invitations:', () => {
  test('The link of an invitation is shown once, and makes the invited person a member', async () => {
    const here = await stage();
    const kim = await createAccount(here.services, { email: `kim-${here.organizationId}@example.com`, name: 'Kim' });
    const shown = await fillIn(here.admin, here.invite, { email: ` ${kim.email.toUpperCase()} `, role: 'guest' });
    expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(shown.text).toContain(`${here.origin}/invitations#rdn_inv_`);
    expect((await here.admin.get(here.members)).html).not.toContain(secretIn(shown));
    await joinOrganization(here.services, { actor: makePerson(kim), secret: secretIn(shown) });
    expect(await here.roles()).toEqual(['admin', 'guest']);
  });

  test('An invitation is created once even if its form is sent several times concurrently, and its link makes the person a member', async () => {
    const here = await stage();
    const kim = await createAccount(here.services, { email: `kim-${here.organizationId}@example.com`, name: 'Kim' });
    const form = { ...valuesOf(await here.admin.get(here.invite)), email: kim.email };
    const answers = await Promise.all(Array.from({ length: 6 }, () => here.admin.post(here.invite, form)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    const [first] = answers.filter(({ status }) => status === 200);
    await joinOrganization(here.services, { actor: makePerson(kim), secret: first ? secretIn(first) : '' });
    expect(await here.roles()).toEqual(['admin', 'member']);
  });

  test.each([{ email: 'nobody' }, { email: '' }, { role: 'owner' }])(
    'An invitation with the values %j is refused, and the form keeps the entered email address',
    async (wrong) => {
      const here = await sharedStage();
      const given = { email: 'kim@example.com', role: 'guest', ...wrong };
      const refused = await fillIn(here.admin, here.invite, given);
      expect(refused.status).toBe(400);
      expect(valuesOf(refused)).toMatchObject({ email: given.email });
      expect(refusedFields(refused)).toEqual('email' in wrong ? ['email'] : []);
      expect(await here.open()).toEqual([]);
    },
  );

  test('An invitation is refused for an email address that already belongs to a member', async () => {
    const here = await sharedStage();
    const refused = await fillIn(here.admin, here.invite, { email: here.boss.email });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('A membership of this person already exists');
  });

  test('An invitation can be withdrawn without a confirmation, and one that stays open is listed as expired after seven days', async () => {
    const here = await stage();
    for (const email of ['kim@example.com', 'lee@example.com']) await fillIn(here.admin, here.invite, { email });
    const withdrawn = await here.admin.post(`${here.members}/withdraw`, { email: 'kim@example.com' });
    expect(withdrawn.headers.get('location')).toBe(here.members);
    expect(await here.open()).toEqual(['lee@example.com']);
    const again = await here.admin.post(`${here.members}/withdraw`, { email: 'kim@example.com' });
    expect([again.status, again.text]).toEqual([404, expect.stringContaining('Invitation not found')]);
    clock.advance(7 * 24 * 60 * 60 * 1000 + 1);
    expect((await (await signIn(here, here.boss)).get(here.members)).text).toContain('expired');
  });
});
