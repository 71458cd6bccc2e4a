import { listPeople } from '#shared/organizations/members.ts';
import { MembersPage } from '#shared/pages/members-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showMembers',
  route: 'GET /{organizationId}/settings/members',
  needs: 'members:list',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit }, services) {
    const { organizationId, person: actor } = visit;
    const body = <MembersPage members={await listPeople(services, { organizationId, actor })} />;
    return { title: 'Members', tab: 'Members', body };
  },
});
