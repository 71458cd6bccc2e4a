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
  async show({ visit, refused }, services) {
    const { organizationId, person: actor } = visit;
    const request = { organizationId, actor };
    const [members, invitations] = await Promise.all([
      listPeople(services, request),
      may(actor, 'invitations:list') ? listInvitations(services, request) : undefined,
    ]);
    const props = { visit, members, invitations, refused, now: services.now() };
    return { title: 'Members', tab: 'Members', body: <MembersPage {...props} /> };
  },
});
