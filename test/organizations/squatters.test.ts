import { describe, expect, test } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { findAccount } from '#shared/organizations/create-account.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { inviteMember, listInvitations } from '#shared/organizations/invitations.ts';
import { addMember, listMembers } from '#shared/organizations/members.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { listPasskeys } from '#shared/sign-in/passkeys.ts';
import { addPasskey as addNewPasskey } from '#shared/sign-in/register-passkey.ts';
import { listSessions } from '#shared/sign-in/sessions.ts';
import { administration } from '#test/harness/administration.ts';
import { attack } from '#test/harness/attacks.ts';
import { authenticator } from '#test/harness/authenticator.ts';
import { interrupted } from '#test/harness/interrupted-table.ts';
import { addPasskey, optionsFor, usePasskey } from '#test/harness/passkey.ts';
import { member, token } from '#test/harness/people.ts';
import { cookieOf, type Shown, signIn, visitor } from '#test/harness/visitor.ts';
import { givenGrant } from '#test/oauth/given-grant.ts';
import { by } from './inviting.ts';

const locationOf = ({ headers }: Shown) => headers.get('location');
const SIGN_IN = '/sign-in?return_to=%2Faccount';

/**
 * An Admin of the organization Shady invites the email address of another person, accepts the invitation instead of
 * that person, and adds a passkey.
 */
async function squatted() {
  const admin = await administration();
  const home = admin.tenant;
  const shady = { ...home, ...(await home.tenant('Shady')) };
  const squatter = await member(shady, 'admin');
  const email = `kim-${crypto.randomUUID()}@example.com`;
  const { services, origin } = home;
  const invited = await inviteMember(services, { ...by(shady), actor: makePerson(squatter), email, role: 'admin' });
  const accepted = await visitor(origin).post('/invitations', { code: invited.secret, name: 'Kim' });
  const account = await findAccount(services, email);
  if (!account) throw new Error(`The invitation was refused with ${accepted.status}`);
  const device = authenticator(origin, account.accountId);
  const byInvitation = visitor(origin, cookieOf(await addPasskey(visitor(origin, cookieOf(accepted)), device)));
  const byPasskey = visitor(origin, cookieOf(await usePasskey(home, device)));
  return { ...admin, home, shady, squatter, email, account, device, byInvitation, byPasskey, services };
}

type Squatted = Awaited<ReturnType<typeof squatted>>;
const add = ({ home, email }: Squatted, ...more: string[]) =>
  ['members', 'add', '--organization', home.organizationId, '--email', email, '--role', 'admin', ...more] as const;

describe('An account that was created by an invitation to the address of somebody else', () => {
  test('The account of a squatter is refused by other organizations, and the refusal names the organization that invited it', async () => {
    const on = await squatted();
    const refused = await on.run(...add(on));
    attack('squatters');
    expect(refused.status).toBe(2);
    expect(refused.errors).toContain(
      `was created by an invitation of Shady (${on.shady.organizationId}) from Alex Doe on 2026-11-02`,
    );
    expect(refused.errors).toContain(`accounts link --email ${on.email}`);
    expect(await listMembers(on.services, by(on.home))).toEqual([]);
    attack('squatters');
    const wrong = await on.run(...add(on, '--invited-by', on.home.organizationId));
    expect(wrong).toMatchObject({ status: 2, errors: expect.stringContaining('by an invitation of Shady') });
    attack('squatters');
    const founded = await on.run('organizations', 'create', '--name', 'New', '--as', on.email);
    expect(founded).toMatchObject({ status: 2, errors: expect.stringContaining('by an invitation of Shady') });
    await on.json(...add(on, '--invited-by', on.shady.organizationId));
    expect(await listMembers(on.services, by(on.home))).toMatchObject([{ accountId: on.account.accountId }]);
  });

  test('A squatter can join the inviting organization again, but no other organization', async () => {
    const on = await squatted();
    const invitation = await inviteMember(on.services, { ...by(on.home), email: on.email, role: 'admin' });
    const joined = await on.byPasskey.post('/invitations', { code: invitation.secret });
    attack('squatters');
    expect([joined.status, joined.text]).toEqual([
      409,
      expect.stringContaining('Your account belongs to another organization'),
    ]);
    attack('squatters');
    const stranger = await visitor(on.home.origin).post('/invitations', { code: invitation.secret, name: 'Kim' });
    expect([stranger.status, stranger.text]).toEqual([409, expect.stringContaining('a link from your operator')]);
    await on.byPasskey.post(`/${on.shady.organizationId}/settings/leave`);
    const back = await inviteMember(on.services, { ...by(on.shady), email: on.email, role: 'guest' });
    expect((await on.byPasskey.post('/invitations', { code: back.secret })).status).toBe(303);
  });

  test('A sign-in link from the operator gives the account of a squatter to the owner of the email address, and the squatter loses all access', async () => {
    const on = await squatted();
    const { services, home, account } = on;
    await addMember(services, {
      ...by(home),
      accountId: account.accountId,
      role: 'admin',
      invitedBy: on.shady.organizationId,
    });
    await member(home, 'admin');
    const planted = await token(home, { owner: account });
    await givenGrant(home, account);
    const accomplice = await inviteMember(services, {
      ...by(home),
      actor: makePerson(account),
      email: 'accomplice@example.com',
      role: 'admin',
    });
    expect((await planted.api.get('/projects')).status).toBe(200);

    const shown = await on.run('accounts', 'link', '--email', on.email);
    expect(shown.output).toContain('by an invitation of Shady');
    expect(shown.output).toContain('were revoked');
    for (const browser of [on.byInvitation, on.byPasskey]) {
      attack('squatters');
      expect(locationOf(await browser.get('/account'))).toBe(SIGN_IN);
    }
    attack('squatters');
    expect((await usePasskey(home, on.device)).status).toBe(400);
    attack('squatters');
    expect((await planted.api.get('/projects')).status).toBe(401);
    attack('squatters');
    const code = { code: accomplice.secret, name: 'Accomplice' };
    expect((await visitor(home.origin).post('/invitations', code)).status).toBe(404);
    expect(await listSessions(services, account)).toEqual([]);
    expect(await listInvitations(services, by(home))).toEqual([]);

    const [, secret = ''] = /sign-in\/link#(\S+)/.exec(shown.output) ?? [];
    const kim = visitor(home.origin, cookieOf(await visitor(home.origin).post('/sign-in/link', { code: secret })));
    const page = await kim.get('/account');
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('You have no passkey')]);
    expect(page.text).toContain('No application is connected.');
    expect((await kim.get(`/${home.organizationId}/settings/members`)).status).toBe(200);
    const own = await token(home, { owner: account });
    expect((await own.api.get('/projects')).status).toBe(200);
    const device = authenticator(home.origin, account.accountId);
    expect((await addPasskey(kim, device)).status).toBe(303);
    expect((await usePasskey(home, device)).status).toBe(303);
    const { records } = await readAudit(services, { ...by(home), limit: 50 });
    const proven = { actor: 'operator', action: 'address proven', subject: account.accountId };
    expect(records.filter(({ action }) => action === 'address proven')).toMatchObject([proven]);
  });

  test('After the operator proves the address, the account no longer has the name that the squatter chose, and the operator can name its owner', async () => {
    const on = await squatted();
    const nameOf = async () => (await findAccount(on.services, on.email))?.name;
    expect(await nameOf()).toBe('Kim');
    const link = ['accounts', 'link', '--email', on.email] as const;
    expect((await on.run(...link, '--name', 'Kim\u202e')).status).toBe(2);
    expect(await nameOf()).toBe('Kim');
    expect((await on.run(...link)).output).toContain('Its name is now');
    expect(await nameOf()).toBe(on.email.replace('@example.com', ''));
    expect((await on.run(...link, '--name', 'Kim Roe')).output).not.toContain('Its name is now');
    expect(await nameOf()).toBe('Kim Roe');
    await on.run(...link);
    expect(await nameOf()).toBe('Kim Roe');
  });

  test('An account whose email address is proven keeps its passkey when the operator creates another sign-in link, and can be added by another organization', async () => {
    const on = await squatted();
    await signIn(on.home, on.account);
    const kim = await signIn(on.home, on.account);
    const device = authenticator(on.home.origin, on.account.accountId);
    await addPasskey(kim, device);
    const again = await on.run('accounts', 'link', '--email', on.email);
    expect(again.output).not.toContain('were revoked');
    expect((await usePasskey(on.home, device)).status).toBe(303);
    await on.json(...add(on));
    expect(await listMembers(on.services, by(on.home))).toHaveLength(1);
  });

  test('A session of a squatter cannot add a passkey if the owner proves the email address during the request', async () => {
    const on = await squatted();
    const { services, account } = on;
    const options = await optionsFor(on.byInvitation, '/account/passkeys/options');
    const credential = authenticator(on.home.origin, account.accountId).create(options);
    for (const method of ['invitation', 'passkey'] as const) {
      const session = (await listSessions(services, account)).find((one) => one.method === method);
      if (!session) continue;
      const during = interrupted(services, () => signIn(on.home, account));
      const added = addNewPasskey(during, { actor: makePerson(account), session, credential, name: 'Planted' });
      await expect(added, method).rejects.toThrow('This session has ended');
    }
    expect(await listPasskeys(services, account)).toEqual([]);
    expect((await listSessions(services, account)).map(({ method }) => method)).toEqual(['link']);
  });
});

test('The email address of an account that the operator created counts as proven: another organization can add the account, and its owner can create an organization', async () => {
  const on = await administration();
  const { services } = on.tenant;
  const other = await on.tenant.tenant('Other');
  const kim = await member(on.tenant, 'admin');
  await addMember(services, { ...by({ ...on.tenant, ...other }), accountId: kim.accountId, role: 'guest' });
  expect(await createOrganization(services, { name: 'New', actor: makePerson(kim) })).toMatchObject({ admins: 1 });
  expect(await createOrganization(services, { name: 'Empty', actor: OPERATOR })).toMatchObject({ admins: 0 });
});
