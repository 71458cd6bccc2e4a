/** §5 Accounts that the company sign-in or the directory of an organization creates. */
import { describe, expect, test } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { removePeople } from '#shared/lifecycle/remove-people.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import {
  createAccount,
  findAccount,
  findCompanyAccount,
  makeCompanyAccount,
} from '#shared/organizations/create-account.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { inviteMember } from '#shared/organizations/invitations.ts';
import { joinOrganization } from '#shared/organizations/join-organization.ts';
import { addMember, deprovisionMember, listMembers } from '#shared/organizations/members.ts';
import { createSignInLink, redeemSignInLink } from '#shared/sign-in/links.ts';
import { managedAccount, managedMember } from '#test/harness/company-people.ts';
import { mortal } from '#test/harness/interrupted-table.ts';
import { service } from '#test/harness/service.ts';
import { itemsWith } from '#test/harness/table-rows.ts';

const TIME = { remainingMilliseconds: () => 60_000 };

/** An organization with a company account, another organization, and a person who owns an account with the address. */
async function stage() {
  const here = await service();
  const { services } = here;
  const elsewhere = await here.tenant('Elsewhere');
  const email = `${crypto.randomUUID()}@acme.example`;
  const own = await createAccount(services, { email, name: 'Kim Roe' });
  const managed = await managedMember(here, email);
  return { ...here, elsewhere, email, own, managed };
}

describe('An account that an organization manages', () => {
  test('is never found by its address, by which everybody may have an account of their own, and other organizations another one', async () => {
    const { services, organizationId, elsewhere, email, own, managed } = await stage();
    const there = await managedMember({ services, ...elsewhere }, email);
    expect(new Set([own, managed, there].map(({ accountId }) => accountId)).size).toBe(3);
    expect(await findAccount(services, email)).toMatchObject(own);
    expect(await findCompanyAccount(services, { organizationId, email: ` ${email.toUpperCase()}` })).toMatchObject(
      managed,
    );
    expect(await findCompanyAccount(services, { ...elsewhere, email })).toMatchObject(there);
  });

  test('exists once per address, even with concurrent requests', async () => {
    const { services, organizationId, email } = await stage();
    const other = `again-${email}`;
    const plans = Array.from({ length: 8 }, () =>
      makeCompanyAccount(services, { organizationId, email: other, name: 'Kim' }),
    );
    const outcomes = await Promise.all(plans.map(({ writes }) => services.table.transact(writes)));
    expect(outcomes.filter(Boolean)).toHaveLength(1);
  });

  test('cannot join another organization in any way', async () => {
    const { services, elsewhere, email, managed } = await stage();
    const { organizationId } = elsewhere;
    const { accountId } = managed;
    const person = makePerson(managed);
    const { secret } = await inviteMember(services, { organizationId, email, role: 'admin', actor: OPERATOR });
    const ways = [
      () => addMember(services, { organizationId, accountId, role: 'admin', actor: OPERATOR }),
      () =>
        addMember(services, { organizationId, accountId, role: 'admin', actor: OPERATOR, invitedBy: organizationId }),
      () => joinOrganization(services, { actor: person, secret }),
      () => createOrganization(services, { actor: person, name: 'Third' }),
    ];
    for (const way of ways) await expect(way()).rejects.toMatchObject({ statusCode: 409 });
    const members = await listMembers(services, { organizationId, actor: OPERATOR });
    expect(members.map((member) => member.accountId)).not.toContain(accountId);
  });

  test('can become a member of its own organization again', async () => {
    const { services, organizationId, managed } = await stage();
    const request = { organizationId, accountId: managed.accountId, actor: OPERATOR };
    await deprovisionMember(services, request);
    expect(await addMember(services, { ...request, role: 'guest' })).toMatchObject({ role: 'guest' });
  });

  test('keeps its address from being invited while it is a member, even by a concurrent request', async () => {
    const { services, organizationId, email, managed } = await stage();
    const invite = () => inviteMember(services, { organizationId, email, role: 'guest', actor: OPERATOR });
    await expect(invite()).rejects.toMatchObject({ statusCode: 409 });
    await deprovisionMember(services, { organizationId, accountId: managed.accountId, actor: OPERATOR });
    await expect(invite()).resolves.toMatchObject({ email });
  });

  test('gets a sign-in link from the operator, who names the organization', async () => {
    const { services, organizationId, elsewhere, email, own, managed } = await stage();
    const browser = { browser: 'Firefox', earlier: undefined };
    const links = [
      { request: { organizationId }, owner: managed },
      { request: {}, owner: own },
    ];
    for (const { request, owner } of links) {
      const { secret } = await createSignInLink(services, { actor: OPERATOR, email, ...request });
      const { session } = await redeemSignInLink(services, { ...browser, secret });
      expect(session.accountId).toBe(owner.accountId);
    }
    await expect(
      createSignInLink(services, { actor: OPERATOR, email, organizationId: elsewhere.organizationId }),
    ).rejects.toMatchObject({ statusCode: 404 });
  });

  test('goes with its organization, even if its membership has ended, and nobody else with the address loses anything, wherever the removal is interrupted', async () => {
    for (let after = 0, isOver = false; !isOver; after += 1) {
      const here = await stage();
      const { services, organizationId, elsewhere, email, own, managed, environment } = here;
      const former = await managedAccount(here, `lee-${email}`);
      const there = await managedMember({ services, ...elsewhere }, email);
      await createSignInLink(services, { actor: OPERATOR, email, organizationId });
      const dying = mortal(services, after);
      await removePeople(dying.services, { organizationId }, TIME).catch((error: unknown) => {
        if (!dying.hasDied()) throw error;
      });
      await dying.settled();
      while (!(await removePeople(services, { organizationId }, TIME)));
      isOver = !dying.hasDied();
      for (const { accountId } of [managed, former]) {
        const left = await itemsWith(environment, accountId);
        expect(left.filter(({ pk }) => !String(pk).startsWith('AUDIT#'))).toEqual([]);
      }
      expect(await findAccount(services, email)).toMatchObject(own);
      expect(await findCompanyAccount(services, { ...elsewhere, email })).toMatchObject(there);
      expect(await services.table.get(accounts, there)).toMatchObject(there);
    }
  });
});
