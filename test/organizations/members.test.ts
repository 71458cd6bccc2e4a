import { describe, expect, test } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { listPersonalTokens } from '#shared/organizations/list-personal-tokens.ts';
import {
  addMember,
  changeRole,
  deprovisionMember,
  leaveOrganization,
  listMembers,
  removeMember,
} from '#shared/organizations/members.ts';
import { member, token } from '#test/harness/people.ts';
import { clock, service } from '#test/harness/service.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';
import type { Stage } from './cast.ts';

const about = ({ organizationId }: Stage, { accountId }: { accountId: string }) => ({
  organizationId,
  accountId,
  actor: OPERATOR,
});
const membersOf = ({ services, organizationId }: Stage) => listMembers(services, { organizationId, actor: OPERATOR });

describe('§5 An account', () => {
  test('No two accounts can have email addresses that differ only in case', async () => {
    const { services } = await service();
    const address = `${crypto.randomUUID()}@Example.com`;
    await createAccount(services, { email: address, name: 'Alex' });
    const again = createAccount(services, { email: ` ${address.toUpperCase()} `, name: 'Alex' });
    await expect(again).rejects.toThrow('already exists');
    await expect(createAccount(services, { email: 'nobody', name: 'x' })).rejects.toThrow('not a valid email address');
  });

  test.each([
    ['', 'one line of 1 to 128 characters'],
    ['  ', 'one line of 1 to 128 characters'],
    ['x'.repeat(129), 'one line of 1 to 128 characters'],
    ['Alex\nDoe', 'one line of 1 to 128 characters'],
    ['Alex\u001b[2J', 'control characters'],
  ])('An account with the name %j is refused', async (name, problem) => {
    const { services } = await service();
    const made = createAccount(services, { email: `${crypto.randomUUID()}@example.com`, name });
    await expect(made).rejects.toThrow(problem);
  });

  test('An account becomes the first Admin of an organization that it creates', async () => {
    const stage = await service();
    const { services } = stage;
    const { accountId } = await member(stage, 'guest');
    const { organizationId } = await createOrganization(services, { name: 'Own', actor: makePerson({ accountId }) });
    expect(await listMembers(services, { organizationId, actor: makePerson({ accountId }) })).toEqual([
      expect.objectContaining({ organizationId, accountId, role: 'admin', startedAt: Date.now() }),
    ]);
    expect(await services.table.get(organizations, { organizationId })).toMatchObject({ admins: 1 });
    const nobody = createOrganization(services, { name: 'Own', actor: makePerson({ accountId: 'nobody' }) });
    await expect(nobody).rejects.toThrow('Account not found');
  });
});

describe('§5 Members of an organization', () => {
  test('A person can become a member once, and again only after leaving', async () => {
    const stage = await service();
    const { accountId } = await member(stage, 'member');
    const again = () => addMember(stage.services, { ...about(stage, { accountId }), role: 'member' });
    await expect(again()).rejects.toThrow('already exists');
    await leaveOrganization(stage.services, { organizationId: stage.organizationId, actor: makePerson({ accountId }) });
    clock.advance(5000);
    expect(await again()).toMatchObject({ startedAt: Date.parse('2026-11-02T10:00:05Z') });
  });

  test('An unknown account cannot be added, changed, removed or deprovisioned as a member', async () => {
    const stage = await service();
    const nobody = about(stage, { accountId: 'nobody' });
    await expect(changeRole(stage.services, { ...nobody, role: 'guest' })).rejects.toThrow('Membership not found');
    await expect(removeMember(stage.services, nobody)).rejects.toThrow('Membership not found');
    await expect(deprovisionMember(stage.services, nobody)).rejects.toThrow('Membership not found');
    await expect(addMember(stage.services, { ...nobody, role: 'guest' })).rejects.toThrow('Account not found');
  });

  test('Deprovisioning a member revokes the tokens of this member, and no other tokens', async () => {
    const stage = await service();
    const gone = await token(stage);
    const other = await token(stage);
    expect(await deprovisionMember(stage.services, about(stage, gone.owner))).toEqual({ admins: 1 });
    const tokens = await listPersonalTokens(stage.services, { ...stage, actor: OPERATOR });
    expect(new Map(tokens.map(({ tokenId, state }) => [tokenId, state]))).toEqual(
      new Map([
        [gone.tokenId, 'revoked'],
        [other.tokenId, 'live'],
      ]),
    );
  });
});

describe('§5 The last Admin', () => {
  test('The last Admin cannot be demoted or removed, and cannot leave', async () => {
    const stage = await service();
    const admin = await member(stage, 'admin');
    await member(stage, 'member');
    const before = await linesOfOrganization(stage);
    for (const actor of [OPERATOR, makePerson(admin)]) {
      const change = { ...about(stage, admin), actor };
      await expect(changeRole(stage.services, { ...change, role: 'member' })).rejects.toThrow('last Admin');
      await expect(removeMember(stage.services, change)).rejects.toThrow('last Admin');
    }
    const leaves = leaveOrganization(stage.services, { ...stage, actor: makePerson(admin) });
    await expect(leaves).rejects.toThrow('last Admin');
    expect(await linesOfOrganization(stage)).toEqual(before);
  });

  test('The last Admin can be deprovisioned, and the operator can then appoint another Admin', async () => {
    const stage = await service();
    const admin = await token(stage);
    const next = await member(stage, 'member');
    expect(await deprovisionMember(stage.services, about(stage, admin.owner))).toEqual({ admins: 0 });
    expect((await admin.api.get('/projects')).status).toBe(401);
    expect(await membersOf(stage)).toMatchObject([{ accountId: next.accountId, role: 'member' }]);
    await changeRole(stage.services, { ...about(stage, next), role: 'admin' });
    await expect(removeMember(stage.services, about(stage, next))).rejects.toThrow('last Admin');
  });
});
