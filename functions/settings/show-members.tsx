import { may } from '#shared/access/may.ts';
import { listInvitations } from '#shared/organizations/invitations.ts';
import { listPeople } from '#shared/organizations/members.ts';
import { MembersPage } from '#shared/pages/organization/members-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showMembers',
  route: 'GET /{organizationId}/settings/members',
  needs: 'members:list',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, refused }, services) {
    const [members, invitations] = await Promise.all([
      listPeople(services, caller),
      may(visit.person, 'invitations:list') ? listInvitations(services, caller) : undefined,
    ]);
    const props = { visit, members, invitations, refused, now: services.now() };
    return { title: 'Members', tab: 'Members', body: <MembersPage {...props} /> };
  },
});
