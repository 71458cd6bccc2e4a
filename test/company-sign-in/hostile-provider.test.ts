/** The provider of one organization states whatever it likes. Nothing of it reaches another organization. */
import { describe, expect, test } from 'vitest';
import { findAccount } from '#shared/organizations/create-account.ts';
import { attack } from '#test/harness/attacks.ts';
import { member } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';
import { signIn, visitor } from '#test/harness/visitor.ts';
import { pages } from '#test/pages/page-world.ts';
import { company, goThrough, sessionOf } from './stage.ts';

/** An organization with a provider and an Admin of its own, and a hostile one in the same deployment. */
async function stage() {
  const here = await service();
  const victim = await company(here);
  const admin = await member(here, 'admin');
  victim.provider.person = { sub: 'vic', email: 'vic@victim.example', email_verified: true, name: 'Vic' };
  const vic = await victim.signIn();
  const hostile = await company({ ...here, ...(await here.tenant('Mallory')) }, { groupsClaim: 'groups' });
  return { here, victim, admin, vic, hostile };
}

describe('A hostile provider', () => {
  test('opens no page and changes no row of another organization, whatever it states', async () => {
    const { victim, admin, hostile } = await stage();
    const { accountId } = admin;
    const before = await linesOfOrganization(victim);
    const statements = [
      { email: admin.email },
      { email: admin.email.toUpperCase() },
      { email: ` ${admin.email} ` },
      { email: 'vic@victim.example' },
      { sub: 'vic', email: 'vic@victim.example' },
      { sub: accountId, email: admin.email },
      { sub: `user:${accountId}` },
      { organizationId: victim.organizationId, organization_id: victim.organizationId },
      { groups: ['admin', 'operator', 'Admins'] },
      { accountId, account_id: accountId, role: 'admin' },
      { name: `${admin.name} (operator)`, preferred_username: admin.email, email: undefined },
    ];
    const reached: string[] = [];
    for (const [index, statement] of statements.entries()) {
      attack('company sign-in');
      hostile.provider.person = {
        sub: `sub-${index}`,
        email: `p${index}@mallory.example`,
        email_verified: true,
        name: 'Mallory',
        ...statement,
      };
      const answer = await hostile.comeBack();
      const session = visitor(hostile.origin, sessionOf(answer));
      for (const path of pagesOf(victim.organizationId)) {
        const { status } = await session.get(path);
        if (status === 200) reached.push(`${index}: ${path}`);
      }
    }
    expect(reached).toEqual([]);
    expect(await linesOfOrganization(victim)).toEqual(before);
  });

  test('does not touch the account of somebody who belongs to both organizations', async () => {
    const { here, victim, admin, hostile } = await stage();
    const own = await findAccount(here.services, admin.email);
    hostile.provider.person = { sub: 'a', email: admin.email, email_verified: true, name: 'Mallory' };
    await hostile.signIn();
    expect(await findAccount(here.services, admin.email)).toEqual(own);
    const person = await signIn({ ...here, ...victim }, admin);
    expect((await person.get(`/${victim.organizationId}`)).status).toBe(200);
    expect((await person.get(`/${hostile.organizationId}`)).status).toBe(404);
  });

  test('cannot finish a sign-in of another organization', async () => {
    const { victim, hostile } = await stage();
    hostile.provider.person = { sub: 'vic', email: 'vic@victim.example', email_verified: true, name: 'Vic' };
    const mixed = { ...victim, provider: hostile.provider };
    const answer = await goThrough(mixed);
    expect([answer.status, sessionOf(answer)]).toEqual([403, '']);
    const moved = await hostile.comeBack(undefined, (back) => {
      back.pathname = `/sign-in/company/${victim.organizationId}/callback`;
    });
    expect([moved.status, sessionOf(moved)]).toEqual([403, '']);
  });

  test('of which the session is bound adds no passkey, creates no code and sees no other session', async () => {
    const { here, victim, admin, hostile } = await stage();
    // The person has connected an account of their own with the hostile company.
    const { addMember } = await import('#shared/organizations/members.ts');
    await addMember(here.services, { ...hostile.by, accountId: admin.accountId, role: 'member' });
    const own = await signIn({ ...here, ...victim }, admin);
    hostile.provider.person = { sub: 'a', email: 'x@mallory.example', email_verified: true, name: 'Mallory' };
    const connected = await goThrough(hostile, own, () => {}, 'connect');
    expect([connected.status, connected.headers.get('location')]).toEqual([303, '/account#company-sign-in']);
    const bound = await hostile.signIn();
    attack('company sign-in');
    for (const path of ['/account/passkeys/new', '/account/passkeys/options'])
      expect((await bound.get(path)).status).toBe(403);
    for (const path of ['/account', '/account/passkeys/new', '/account/passkeys/remove'])
      expect((await bound.post(path, { passkeyId: 'x', credential: '{}', name: 'x' })).status).toBe(403);
    const { text } = await bound.get('/account');
    expect(text).toContain('by company');
    expect(text).not.toContain('by link');
    expect(text).not.toContain('confirmation code');
    expect(text).not.toContain('Acme');
    await bound.post('/account/end-other-sessions');
    await bound.post('/account/sign-out-everywhere', { applications: 'end' });
    expect((await own.get(`/${victim.organizationId}`)).status).toBe(200);
  });
});

const pagesOf = (organizationId: string): string[] =>
  pages
    .filter(({ path, method }) => method === 'GET' && path.startsWith('/{organizationId}'))
    .map(({ path }) => path.replace('{organizationId}', organizationId).replace(/\{\w+\}/g, 'a'))
    .filter((path, index, all) => all.indexOf(path) === index && index % 6 === 0);
