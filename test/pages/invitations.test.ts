import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import { findAccount } from '#shared/organizations/create-account.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { inviteMember, withdrawInvitation } from '#shared/organizations/invitations.ts';
import { listMembers } from '#shared/organizations/members.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { buildInvitationUrl } from '#shared/pages/shell/hrefs.ts';
import { describeInChromium, profile } from '#test/harness/chromium.ts';
import { member } from '#test/harness/people.ts';
import { clock, service } from '#test/harness/service.ts';
import { cookieOf, type Shown, signedIn, signIn, visitor } from '#test/harness/visitor.ts';
import { WEEK } from '#test/organizations/inviting.ts';

async function stage() {
  const here = await service();
  const { organizationId, services } = here;
  await member(here, 'admin');
  const email = `${crypto.randomUUID()}@example.com`;
  const by = { organizationId, actor: OPERATOR };
  const invitation = async (to = email, role: Role = 'member') =>
    (await inviteMember(services, { ...by, email: to, role })).secret;
  const members = async () => (await listMembers(services, by)).length;
  return { ...here, email, by, invitation, members, stranger: visitor(here.origin) };
}

const UNUSABLE = 'Invitation not found for this email address';
const locationOf = ({ headers }: Shown) => headers.get('location');

describe('An invitation in a browser', () => {
  test('Accepting an invitation creates an account for a new person, makes the person a member and signs the person in', async () => {
    const here = await stage();
    const code = await here.invitation();
    const answer = await here.stranger.post('/invitations', { code, name: 'Kim Roe' });
    expect([answer.status, locationOf(answer)]).toEqual([303, '/account/passkeys/new?return_to=%2F']);
    const kim = visitor(here.origin, cookieOf(answer));
    expect((await kim.get('/account')).text).toMatch(/Kim Roe.*Acme.*by invitation/);
    expect((await kim.get(`/${here.organizationId}`)).status).toBe(200);
    const account = await findAccount(here.services, here.email);
    const { records } = await readAudit(here.services, here.by);
    const joined = { action: 'member joined', subject: account?.accountId, actor: `user:${account?.accountId}` };
    expect(records).toContainEqual(expect.objectContaining(joined));
  });

  test('An invitation lets a signed-in person join with an existing account', async () => {
    const here = await stage();
    const other = await here.tenant('Other');
    const kim = await member({ ...here, ...other }, 'guest');
    const person = await signIn(here, kim);
    const code = await here.invitation(kim.email);
    const page = await person.post('/invitations', { code, step: 'look' });
    expect(page.text).toContain(`You are signed in as ${kim.name} (${kim.email})`);
    const answer = await person.post('/invitations', { code });
    expect([answer.status, locationOf(answer)]).toEqual([303, `/${here.organizationId}`]);
    expect((await person.get(`/${here.organizationId}`)).status).toBe(200);
  });

  test('An invitation gives no access to an existing account, because its owner has to sign in first', async () => {
    const here = await stage();
    const other = await here.tenant('Other');
    const kim = await member({ ...here, ...other }, 'guest');
    const code = await here.invitation(kim.email);
    const answer = await here.stranger.post('/invitations', { code, name: 'Thief' });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([409, []]);
    expect(answer.text).toContain(
      'Sign in to it with a passkey or a link from your operator, then open the invitation again',
    );
    expect((await (await signIn(here, kim)).post('/invitations', { code })).status).toBe(303);
  });

  test('An invitation is refused for a person who is signed in with another email address, and stays usable', async () => {
    const here = await stage();
    const person = await signedIn(here, 'member');
    const code = await here.invitation();
    const before = await here.members();
    const answer = await person.post('/invitations', { code });
    expect([answer.status, answer.text.includes(UNUSABLE)]).toEqual([404, true]);
    expect(await here.members()).toBe(before);
    expect((await here.stranger.post('/invitations', { code, name: 'Kim' })).status).toBe(303);
  });

  test('An invitation adds only one member even if it is accepted ten times in parallel', async () => {
    const here = await stage();
    const code = await here.invitation();
    const before = await here.members();
    const parallel = Array.from({ length: 10 }, () => here.stranger.post('/invitations', { code, name: 'Kim' }));
    const answers = await Promise.all(parallel);
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    for (const { status } of answers) expect([303, 404, 409]).toContain(status);
    expect(await here.members()).toBe(before + 1);
  });

  test('An invitation is refused if it was used, withdrawn or replaced, has expired, belongs to a deactivated organization, or is unknown', async () => {
    const here = await stage();
    const post = (code: string) => here.stranger.post('/invitations', { code, name: 'Kim' });
    const address = () => `${crypto.randomUUID()}@example.com`;
    const used = await here.invitation(address());
    await post(used);
    const withdrawnTo = address();
    const withdrawn = await here.invitation(withdrawnTo);
    await withdrawInvitation(here.services, { ...here.by, email: withdrawnTo });
    const replaced = await here.invitation();
    await here.invitation();
    const expired = await here.invitation(address());
    clock.advance(WEEK + 1);
    const left = await here.invitation(address());
    await deactivateOrganization(here.services, here.by);
    const codes = [used, withdrawn, replaced, expired, left, '', 'x', used.replace('rdn_inv', 'rdn_lnk')];
    const answers = await Promise.all(codes.map(post));
    const bodies = answers.map(({ status, html }) => `${status} ${html.replaceAll(/value="[^"]*"/g, '')}`);
    expect(new Set(bodies).size).toBe(1);
    expect(answers[0]?.text).toContain(UNUSABLE);
  });

  test('An invitation stays usable after an invalid name, and the page asks for the name again', async () => {
    const here = await stage();
    const code = await here.invitation();
    const answer = await here.stranger.post('/invitations', { code, name: ' ' });
    expect(answer.status).toBe(400);
    expect(answer.html).toContain(`value="${code}"`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await findAccount(here.services, here.email)).toBeUndefined();
    expect((await here.stranger.post('/invitations', { code, name: 'Kim' })).status).toBe(303);
  });

  test('An invitation names the organization, the inviter, the role and the address to whoever has the code, and joins nobody before a button is pressed', async () => {
    const here = await stage();
    const admin = await member(here, 'admin');
    const actor = { kind: 'person', accountId: admin.accountId, role: 'admin' } as const;
    const { secret } = await inviteMember(here.services, { ...here.by, actor, email: here.email, role: 'guest' });
    const before = await here.members();
    expect((await here.stranger.get('/invitations')).text).not.toContain('Acme');
    const shown = await here.stranger.post('/invitations', { code: secret, step: 'look' });
    expect(shown.text).toContain(`${admin.name} invites ${here.email} to Acme, with the role Guest.`);
    expect(shown.headers.get('cache-control')).toBe('no-store');
    const other = await (await signedIn(here, 'member')).post('/invitations', { code: secret, step: 'look' });
    expect(other.text).toContain('which is another address');
    expect(await here.members()).toBe(before + 1);
    expect((await here.stranger.post('/invitations', { code: 'x', step: 'look' })).text).toContain(UNUSABLE);
    expect((await here.stranger.post('/invitations', { code: secret, name: 'Kim' })).status).toBe(303);
  });

  test('An invitation stays usable after several GET requests, such as those of link scanners', async () => {
    const here = await stage();
    const code = await here.invitation();
    for (let count = 0; count < 5; count += 1) await here.stranger.get('/invitations');
    expect((await here.stranger.post('/invitations', { code, name: 'Kim' })).status).toBe(303);
  });
});

describeInChromium('The link of an invitation', () => {
  test('The link of an invitation opens the page with the code filled in, and removes the code from the address bar', async () => {
    const here = await stage();
    const page = await (await profile(here.origin)).newPage();
    await page.goto(buildInvitationUrl(here.origin, await here.invitation()));
    await page.getByLabel('Your name').fill('Kim Roe');
    expect(page.url()).toBe(`${here.origin}/invitations`);
    await page.getByRole('button', { name: 'Create an account and join' }).click();
    await page.getByRole('link', { name: 'Not now' }).click();
    await page.waitForURL(`**/${here.organizationId}`);
  });
});
