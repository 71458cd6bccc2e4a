import { describe, expect, test } from 'vitest';
import type { Account } from '#shared/model/organizations/account.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { inviteMember, listInvitations, withdrawInvitation } from '#shared/organizations/invitations.ts';
import { addMember, listMembers } from '#shared/organizations/members.ts';
import { interrupted } from '#test/harness/interrupted-table.ts';
import { member } from '#test/harness/people.ts';
import { clock } from '#test/harness/service.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';
import type { Stage } from './cast.ts';
import { by, invited, join, REFUSED, stageWithKim, WEEK } from './inviting.ts';

const roles = async (stage: Stage) =>
  (await listMembers(stage.services, by(stage))).map(({ accountId, role }) => [accountId, role]);
const open = async (stage: Stage) => (await listInvitations(stage.services, by(stage))).map(({ email }) => email);

describe('§5 An invitation', () => {
  test('A person who has the secret and the email address of an invitation becomes a member with the role of the invitation', async () => {
    const { stage, kim } = await stageWithKim();
    const { email, organizationId } = { ...kim, ...stage };
    const { secret, ...rest } = await inviteMember(stage.services, { ...by(stage), email, role: 'actionsAdmin' });
    expect(secret).toMatch(/^rdn_inv_[0-9A-Za-z]{42}$/);
    expect(await listInvitations(stage.services, by(stage))).toEqual([expect.objectContaining(rest)]);
    expect(rest).toMatchObject({ email, role: 'actionsAdmin', validUntil: Date.now() + WEEK, invitedBy: 'operator' });
    clock.advance(1000);
    const start = { organizationId, accountId: kim.accountId, role: 'actionsAdmin', startedAt: Date.now() };
    expect(await join(stage, kim, ` ${secret}\n`)).toEqual(start);
    expect(await roles(stage)).toEqual([[kim.accountId, 'actionsAdmin']]);
    expect(await open(stage)).toEqual([]);
  });

  test('An invitation is valid for its email address regardless of upper and lower case', async () => {
    const { stage, kim } = await stageWithKim();
    const secret = await invited(stage, { ...kim, email: ` ${kim.email.toUpperCase()}` });
    await join(stage, kim, secret);
    expect(await roles(stage)).toEqual([[kim.accountId, 'member']]);
  });

  test('The secret of an invitation is not stored in any row, and a list of invitations contains no hash of it', async () => {
    const { stage, kim } = await stageWithKim();
    const secret = (await invited(stage, kim)).slice('rdn_inv_'.length);
    for (const line of await linesOfOrganization(stage)) expect(line).not.toContain(secret);
    expect(JSON.stringify(await listInvitations(stage.services, by(stage)))).not.toMatch(/hash/);
  });

  test('An invitation is valid for exactly seven days', async () => {
    const { stage, kim } = await stageWithKim();
    const secret = await invited(stage, kim);
    clock.advance(WEEK + 1);
    await expect(join(stage, kim, secret)).rejects.toThrow(REFUSED);
    clock.advance(-1);
    await join(stage, kim, secret);
  });

  test.each(Array.from({ length: 6 }, (_, round) => [round + 1]))(
    'An invitation is accepted once, even by ten simultaneous attempts (round %i)',
    async () => {
      const { stage, kim } = await stageWithKim();
      const secret = await invited(stage, kim);
      const tries = await Promise.allSettled(Array.from({ length: 10 }, () => join(stage, kim, secret)));
      const refusals = tries.flatMap((one) => (one.status === 'rejected' ? [one.reason.message] : []));
      expect(refusals).toEqual(Array.from({ length: 9 }, () => REFUSED));
      expect(await roles(stage)).toEqual([[kim.accountId, 'member']]);
    },
  );

  test('An invitation that is withdrawn and accepted at the same time is either withdrawn or accepted, but not both', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { stage, kim } = await stageWithKim();
      const secret = await invited(stage, kim);
      const withdrawn = withdrawInvitation(stage.services, { ...by(stage), email: kim.email });
      const outcomes = await Promise.allSettled([withdrawn, join(stage, kim, secret)]);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await roles(stage)).toHaveLength(outcomes[1].status === 'fulfilled' ? 1 : 0);
    }
  });

  test('A new invitation replaces an earlier invitation to the same address, and the earlier secret becomes invalid', async () => {
    const { stage, kim } = await stageWithKim();
    const first = await invited(stage, kim);
    const second = await invited(stage, kim);
    expect(await open(stage)).toEqual([kim.email]);
    await expect(join(stage, kim, first)).rejects.toThrow(REFUSED);
    await join(stage, kim, second);
  });

  test('A member cannot be invited, not even a person who becomes a member during the request to invite', async () => {
    const { stage, kim } = await stageWithKim();
    const sam = await member(stage, 'guest');
    await expect(invited(stage, sam)).rejects.toThrow('already exists');
    const adds = async ({ accountId }: Account) =>
      addMember(stage.services, { ...by(stage), accountId, role: 'guest' });
    const services = interrupted(stage.services, () => adds(kim));
    await expect(invited({ ...stage, services }, kim)).rejects.toThrow('already exists');
    const email = `${crypto.randomUUID()}@example.com`;
    const registers = async () => adds(await createAccount(stage.services, { email, name: 'New' }));
    const soon = inviteMember(interrupted(stage.services, registers), { ...by(stage), email, role: 'admin' });
    await expect(soon).rejects.toThrow('already exists');
    expect(await open(stage)).toEqual([]);
  });
});
