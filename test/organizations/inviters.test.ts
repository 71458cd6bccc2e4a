import { describe, expect, test } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { inviteMember, listInvitations } from '#shared/organizations/invitations.ts';
import {
  addMember,
  changeRole,
  deprovisionMember,
  leaveOrganization,
  listMembers,
  removeMember,
} from '#shared/organizations/members.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import type { CoreServices } from '#shared/services.ts';
import { dyingAfter, interrupted } from '#test/harness/interrupted-table.ts';
import { member } from '#test/harness/people.ts';
import { visitor } from '#test/harness/visitor.ts';
import { by, join, REFUSED, stageWithKim } from './inviting.ts';

/** Creates an Admin who has invited Kim, and another Admin who has invited another person. */
async function invitedByAdmin() {
  const { stage, kim } = await stageWithKim();
  const boss = await member(stage, 'admin');
  const inviter = await member(stage, 'admin');
  const invitationOf = async (actor: Account, email: string) =>
    (await inviteMember(stage.services, { ...by(stage), actor: makePerson(actor), email, role: 'admin' })).secret;
  const secret = await invitationOf(inviter, kim.email);
  await invitationOf(boss, 'other@example.com');
  const request = { ...by(stage), accountId: inviter.accountId };
  const open = async () => (await listInvitations(stage.services, by(stage))).map(({ email }) => email);
  const isMember = async ({ accountId }: Account) =>
    (await listMembers(stage.services, by(stage))).some((one) => one.accountId === accountId);
  return { stage, kim, inviter, secret, request, open, isMember };
}

type Stage = Awaited<ReturnType<typeof invitedByAdmin>>;

const WAYS: Readonly<Record<string, (services: CoreServices, on: Stage) => Promise<unknown>>> = {
  'is removed': (services, { request }) => removeMember(services, request),
  leaves: (services, { request, inviter }) => leaveOrganization(services, { ...request, actor: makePerson(inviter) }),
  'is demoted': (services, { request }) => changeRole(services, { ...request, role: 'actionsAdmin' }),
  'is deprovisioned': (services, { request }) => deprovisionMember(services, request),
};

describe('§5 The invitations of an Admin', () => {
  test.each(Object.entries(WAYS))(
    'If an Admin %s, the invitations of this Admin are withdrawn with an audit record, and those of others stay open',
    async (_, way) => {
      const on = await invitedByAdmin();
      const { stage, kim, secret } = on;
      await way(stage.services, on);
      expect(await on.open()).toEqual(['other@example.com']);
      await expect(join(stage, kim, secret)).rejects.toThrow(REFUSED);
      const { records } = await readAudit(stage.services, { ...by(stage), limit: 50 });
      const detail = 'admin: its inviter is no longer an Admin';
      const withdrawn = { actor: 'clean-up', action: 'invitation withdrawn', subject: kim.email, detail };
      expect(records.filter(({ action }) => action === 'invitation withdrawn')).toMatchObject([withdrawn]);
    },
  );

  test.each(Object.entries(WAYS))(
    'If an Admin %s, the invitations of this Admin are refused even if the change is interrupted before it withdraws them',
    async (_, way) => {
      const on = await invitedByAdmin();
      await expect(way(dyingAfter(on.stage.services, 1), on)).rejects.toThrow('The process has died');
      expect(await on.open()).toHaveLength(2);
      await expect(join(on.stage, on.kim, on.secret)).rejects.toThrow(REFUSED);
      const answer = await visitor(on.stage.origin).post('/invitations', { code: on.secret, name: 'Kim' });
      expect(answer.status).toBe(404);
    },
  );

  test.each(Object.entries(WAYS))(
    'If the Admin who sent an invitation %s while somebody accepts it, nobody becomes a member',
    async (_, way) => {
      const on = await invitedByAdmin();
      const services = interrupted(on.stage.services, () => way(dyingAfter(on.stage.services, 1), on).catch(() => 0));
      await expect(join({ ...on.stage, services }, on.kim, on.secret)).rejects.toThrow(REFUSED);
      expect(await on.isMember(on.kim)).toBe(false);
    },
  );

  test('The invitations of an Admin stay invalid after the Admin was removed, even if the person becomes an Admin again', async () => {
    const on = await invitedByAdmin();
    const { services } = on.stage;
    await expect(removeMember(dyingAfter(services, 1), on.request)).rejects.toThrow('The process has died');
    await addMember(services, { ...on.request, role: 'admin' });
    await expect(join(on.stage, on.kim, on.secret)).rejects.toThrow(REFUSED);
    const again = await inviteMember(services, {
      ...on.request,
      actor: makePerson(on.inviter),
      email: on.kim.email,
      role: 'guest',
    });
    await join(on.stage, on.kim, again.secret);
    expect(await on.isMember(on.kim)).toBe(true);
  });

  test('Repeating an interrupted demotion of an Admin withdraws the invitations of the Admin', async () => {
    const on = await invitedByAdmin();
    const demotion = { ...on.request, role: 'guest' } as const;
    await expect(changeRole(dyingAfter(on.stage.services, 1), demotion)).rejects.toThrow('The process has died');
    await changeRole(on.stage.services, demotion);
    expect(await on.open()).toEqual(['other@example.com']);
  });

  test('If an invitation is accepted ten times while the Admin who sent it is being demoted, at most one attempt succeeds', async () => {
    const on = await invitedByAdmin();
    const accept = () =>
      join(on.stage, on.kim, on.secret).then(
        () => true,
        () => false,
      );
    const demotion = changeRole(on.stage.services, { ...on.request, role: 'guest' });
    const [joined] = await Promise.all([Promise.all(Array.from({ length: 10 }, accept)), demotion]);
    expect(joined.filter(Boolean)).toHaveLength((await on.isMember(on.kim)) ? 1 : 0);
    expect(await on.open()).toEqual(['other@example.com']);
  });

  test('The invitations of an Admin are withdrawn if the Admin is deprovisioned in a deactivated organization', async () => {
    const on = await invitedByAdmin();
    await deactivateOrganization(on.stage.services, by(on.stage));
    await deprovisionMember(on.stage.services, { ...on.request, actor: OPERATOR });
    expect(await on.open()).toEqual(['other@example.com']);
  });
});
