import { accounts } from '#shared/model/account.ts';
import { listMembers } from '#shared/organizations/members.ts';
import { MembersPage } from '#shared/pages/members-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showMembers',
  route: 'GET /{organizationId}/settings/members',
  needs: 'members:list',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit }, services) {
    const { organizationId, person: actor } = visit;
    const members = await listMembers(services, { organizationId, actor });
    const people = await services.table.getMany(accounts, members);
    const body = <MembersPage members={members.map((member, index) => ({ member, account: people[index] }))} />;
    return { title: 'Members', tab: 'Members', body };
  },
});
