/** §5.3 The applications that a person has allowed, and the ways in which their access ends. */
import { describe, expect, test } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { grants } from '#shared/model/oauth/oauth-grant.ts';
import { listOwnGrants, revokeOwnGrants } from '#shared/oauth/grants.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { addMember, deprovisionMember, leaveOrganization, removeMember } from '#shared/organizations/members.ts';
import { administration } from '#test/harness/administration.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { member } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';
import { signIn } from '#test/harness/visitor.ts';
import { endingsOf, givenGrant, isAlive } from './given-grant.ts';

async function stage() {
  const here = await service();
  const account = await member(here, 'member');
  const visitor = await signIn(here, account);
  return { ...here, account, visitor, grant: await givenGrant(here, account) };
}

type Stage = Awaited<ReturnType<typeof stage>>;

const END = '/account/end-application';

describe('connected applications', () => {
  test('are listed on the account page with host, organization, resource, scopes and times', async () => {
    const { visitor } = await stage();
    const { text } = await visitor.get('/account');
    expect(text).toContain('agent.example (which calls itself “Rundown”)');
    for (const part of ['MCP server in Acme', 'results:read', '2 Nov 2026, 10:00', 'never', '2 Dec 2026, 10:00'])
      expect(text).toContain(part);
  });

  test('A connected application is disconnected exactly once, with one audit record, even by concurrent requests', async () => {
    const here = await stage();
    const { visitor, grant, account } = here;
    const answers = await Promise.all(Array.from({ length: 5 }, () => visitor.post(END, { grant: grant.hash })));
    expect(answers.map(({ status }) => status)).toContain(303);
    expect(answers.filter(({ status }) => status !== 303 && status !== 404)).toEqual([]);
    expect(await isAlive(here, grant)).toBe(false);
    expect(await endingsOf(here)).toEqual([
      { subject: grant.hash, actor: `user:${account.accountId}`, detail: 'Rundown' },
    ]);
    expect((await visitor.get('/account')).text).toContain('No application is connected.');
    expect((await visitor.post(END, { grant: grant.hash })).status).toBe(404);
  });

  test('An application is not listed on the account page of another person, and cannot be disconnected there', async () => {
    const here = await stage();
    const other = await signIn(here, await member(here, 'admin'));
    expect((await other.post(END, { grant: here.grant.hash })).status).toBe(404);
    expect((await other.get('/account')).text).toContain('No application is connected.');
    expect(await isAlive(here, here.grant)).toBe(true);
  });

  test('Admins can disconnect the applications of a member on the page of the member, but a member without that role cannot', async () => {
    const here = await stage();
    const path = `/${here.organizationId}/settings/members/${here.account.accountId}`;
    const admin = await signIn(here, await member(here, 'admin'));
    const other = here.visitor;
    expect((await admin.get(path)).text).toContain('agent.example');
    expect((await other.post(`${path}/end-application`, { grant: here.grant.hash })).status).toBe(403);
    const foreign = await givenGrant(here, await member(here, 'guest'));
    expect((await admin.post(`${path}/end-application`, { grant: foreign.hash })).status).toBe(404);
    expect((await admin.post(`${path}/end-application`, { grant: here.grant.hash })).status).toBe(303);
    expect(await isAlive(here, here.grant)).toBe(false);
    expect((await admin.get(path)).text).toContain('No application is connected for this member');
  });

  test('An application is no longer listed after the reuse of a token has ended its grant, but applications in other organizations are still listed', async () => {
    const here = await stage();
    const other = await here.tenant('Beta');
    await addMember(here.services, { ...other, accountId: here.account.accountId, role: 'guest', actor: OPERATOR });
    const elsewhere = await givenGrant({ ...here, ...other }, here.account);
    // The reuse of a code or a refresh token deletes this row of the grant, but not its row in the list of the account.
    await here.services.table.writeMany([remove(grants, here.grant)]);
    expect(await listOwnGrants(here.services, makePerson(here.account))).toMatchObject([{ hash: elsewhere.hash }]);
  });

  test('A person can still disconnect an application if the removal of the person from the organization was interrupted', async () => {
    const here = await stage();
    const { services, account, organizationId } = here;
    await removeMember(dyingAfter(services, 1), { organizationId, ...account, actor: OPERATOR }).catch(() => {});
    expect((await here.visitor.get('/account')).text).toContain('an organization that you left');
    expect((await here.visitor.post(END, { grant: here.grant.hash })).status).toBe(303);
    expect(await isAlive(here, here.grant)).toBe(false);
  });
});

const ENDINGS: Readonly<Record<string, (here: Stage) => Promise<unknown>>> = {
  'is removed': ({ services, organizationId, account }) =>
    removeMember(services, { organizationId, accountId: account.accountId, actor: OPERATOR }),
  leaves: ({ services, organizationId, account }) =>
    leaveOrganization(services, { organizationId, actor: makePerson(account) }),
  'is deprovisioned': ({ services, organizationId, account }) =>
    deprovisionMember(services, { organizationId, accountId: account.accountId, actor: OPERATOR }),
  'is affected by its deactivation': ({ services, organizationId }) =>
    deactivateOrganization(services, { organizationId, actor: OPERATOR }),
  'leaves on the settings page': ({ visitor, organizationId }) => visitor.post(`/${organizationId}/settings/leave`),
};

describe('the connected applications of a person', () => {
  test.each(Object.entries(ENDINGS))(
    'If a member of an organization %s, all applications of this member in the organization are disconnected, and no others',
    async (_, end) => {
      const here = await stage();
      const own = [here.grant, ...(await Promise.all([1, 2, 3].map(() => givenGrant(here, here.account))))];
      const other = await here.tenant('Beta');
      await addMember(here.services, { ...other, accountId: here.account.accountId, role: 'guest', actor: OPERATOR });
      const elsewhere = await givenGrant({ ...here, ...other }, here.account);
      await end(here);
      expect(await Promise.all(own.map((grant) => isAlive(here, grant)))).toEqual([false, false, false, false]);
      expect(await isAlive(here, elsewhere)).toBe(true);
      const endings = await endingsOf(here);
      expect(endings.map(({ subject }) => subject).sort()).toEqual(own.map(({ hash }) => hash).sort());
      expect(new Set(endings.map(({ actor }) => actor))).toEqual(new Set(['clean-up']));
    },
  );

  test('If the removal of a member was interrupted and the person rejoins, the new membership starts later than every grant of the old membership', async () => {
    const here = await stage();
    const { services, organizationId, account } = here;
    const membership = { organizationId, accountId: account.accountId, actor: OPERATOR };
    const late = await givenGrant(here, account, { createdAt: services.now() + 5 });
    await removeMember(dyingAfter(services, 1), membership).catch(() => {});
    expect(await isAlive(here, late)).toBe(true);
    const { startedAt } = await addMember(services, { ...membership, role: 'admin' });
    expect(startedAt).toBeGreaterThan(late.createdAt);
  });
});

describe('signing out everywhere', () => {
  test('does not disconnect applications by default', async () => {
    const here = await stage();
    expect((await here.visitor.get('/account')).html).toMatch(/type="checkbox" name="applications" value="end"[^>]*>/);
    expect((await here.visitor.get('/account')).html).not.toMatch(/name="applications" value="end" checked/);
    await here.visitor.post('/account/sign-out-everywhere');
    expect(await isAlive(here, here.grant)).toBe(true);
  });

  test('Signing out everywhere with "Also disconnect all applications" ends 5 sessions and disconnects 5 applications', async () => {
    const here = await stage();
    const visitors = [here.visitor];
    while (visitors.length < 5) visitors.push(await signIn(here, here.account));
    const all = [here.grant, ...(await Promise.all([1, 2, 3, 4].map(() => givenGrant(here, here.account))))];
    await here.visitor.post('/account/sign-out-everywhere', { applications: 'end' });
    const answers = await Promise.all(visitors.map((visitor) => visitor.get('/account')));
    expect(answers.filter(({ status }) => status === 200)).toEqual([]);
    expect(await Promise.all(all.map((grant) => isAlive(here, grant)))).toEqual(all.map(() => false));
  });

  test('Two concurrent requests to disconnect all applications leave only one audit record for an application', async () => {
    const here = await stage();
    const { services, account } = here;
    await Promise.all([1, 2].map(() => revokeOwnGrants(services, makePerson(account))));
    expect(await endingsOf(here)).toHaveLength(1);
  });
});

describe('npm run admin -- grants', () => {
  test('The operator can list and revoke the applications of a person with npm run admin, and can act as an Admin, but not as a Guest', async () => {
    const { tenant, json, run } = await administration();
    const account = await member(tenant, 'guest');
    const admin = await member(tenant, 'admin');
    const first = await givenGrant(tenant, account);
    const second = await givenGrant(tenant, account);
    const options = ['--organization', tenant.organizationId, '--email', account.email];
    const listed = await json('grants', 'list', ...options);
    expect(listed.map(({ grantId }: { grantId: string }) => grantId).sort()).toEqual([first.hash, second.hash].sort());
    expect(listed[0]).toMatchObject({ email: account.email, clientName: 'Rundown', scopes: 'results:read' });
    await json('grants', 'revoke', ...options, '--grant', first.hash);
    await json('grants', 'revoke', ...options, '--grant', second.hash, '--as', admin.email);
    expect(await json('grants', 'list', ...options)).toEqual([]);
    expect((await endingsOf(tenant)).map(({ actor }) => actor).sort()).toEqual(['operator', `user:${admin.accountId}`]);
    expect((await run('grants', 'revoke', ...options, '--grant', first.hash)).status).not.toBe(0);
    const asGuest = await run('grants', 'list', ...options, '--as', account.email);
    expect(asGuest.status).not.toBe(0);
  });
});
