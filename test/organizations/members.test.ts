import { describe, expect, test } from 'vitest';
import { createAccount } from '#shared/organizations/create-account.ts';
import { addMember, changeRole, listMembers, removeMember } from '#shared/organizations/members.ts';
import { auditRecords } from '#shared/resources/audit-record.ts';
import { composed } from '#shared/table/keys.ts';
import { member } from '#test/harness/people.ts';
import { clock, service, type Tenant, type TestService } from '#test/harness/service.ts';

type Stage = TestService & Tenant;
const of = ({ organizationId }: Stage, accountId: string) => ({ organizationId, accountId, actor: 'operator' });

const audit = async ({ services, organizationId }: Stage) => {
  const span = { pk: composed('AUDIT', organizationId), from: 'AUDIT#', to: 'AUDIT#~' };
  const records = await services.table.queryAll(auditRecords, span);
  return records.map(({ actor, action, subject, detail }) => [actor, action, subject, detail]);
};

describe('§5 Members of an organization', () => {
  test('an address belongs to one account, in any spelling', async () => {
    const { services } = await service();
    const address = `${crypto.randomUUID()}@Example.com`;
    await createAccount(services, { email: address, name: 'Alex' });
    const again = createAccount(services, { email: ` ${address.toUpperCase()} `, name: 'Alex' });
    await expect(again).rejects.toThrow('exists already');
    await expect(createAccount(services, { email: 'nobody', name: 'x' })).rejects.toThrow('no e-mail address');
  });

  test('join once, and again only after they left, from then on', async () => {
    const stage = await service();
    await member(stage, 'admin');
    const { accountId } = await member(stage, 'member');
    const again = () => addMember(stage.services, { ...of(stage, accountId), role: 'member' });
    await expect(again()).rejects.toThrow('exists already');
    await removeMember(stage.services, { ...of(stage, accountId), action: 'member left' });
    clock.advance(5000);
    expect(await again()).toMatchObject({ startedAt: Date.parse('2026-11-02T10:00:05Z') });
  });

  test('the last Admin stays Admin, whoever asks', async () => {
    const stage = await service();
    const { accountId } = await member(stage, 'admin');
    const change = of(stage, accountId);
    await expect(changeRole(stage.services, { ...change, role: 'member' })).rejects.toThrow('last Admin');
    await expect(removeMember(stage.services, { ...change, action: 'member removed' })).rejects.toThrow('last Admin');
    expect(await listMembers(stage.services, stage)).toMatchObject([{ accountId, role: 'admin' }]);
  });

  test('of two Admins who step down at the same moment one stays', async () => {
    const stage = await service();
    const [one, other] = [await member(stage, 'admin'), await member(stage, 'admin')];
    const down = ({ accountId }: { accountId: string }) =>
      changeRole(stage.services, { ...of(stage, accountId), role: 'guest' });
    await Promise.allSettled([down(one), down(other)]);
    const roles = (await listMembers(stage.services, stage)).map(({ role }) => role);
    expect(roles.filter((role) => role === 'admin').length).toBeGreaterThanOrEqual(1);
  });

  test('every change leaves its record, and a refused one none', async () => {
    const stage = await service();
    const admin = await member(stage, 'admin');
    clock.advance(1);
    const { accountId } = await member(stage, 'guest');
    clock.advance(1);
    await changeRole(stage.services, { ...of(stage, accountId), role: 'member' });
    clock.advance(1);
    await removeMember(stage.services, { ...of(stage, accountId), action: 'member deprovisioned' });
    clock.advance(1);
    await expect(
      removeMember(stage.services, { ...of(stage, admin.accountId), action: 'member left' }),
    ).rejects.toThrow();
    expect(await audit(stage)).toEqual([
      [admin.accountId, 'member added', admin.accountId, 'admin'],
      [accountId, 'member added', accountId, 'guest'],
      ['operator', 'role changed', accountId, 'guest to member'],
      ['operator', 'member deprovisioned', accountId, 'member'],
    ]);
  });
});
