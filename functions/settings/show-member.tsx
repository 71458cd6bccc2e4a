import { notFound, refuse } from '#shared/engine/errors.ts';
import { listMemberGrants } from '#shared/oauth/grants.ts';
import { listPeople } from '#shared/organizations/members.ts';
import { MemberPage } from '#shared/pages/organization/member-page.tsx';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showMember',
  route: 'GET /{organizationId}/settings/members/{accountId}',
  needs: 'members:changeRole',
  fresh: 'change the access of a member',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { accountId }, refused }, services) {
    const all = await listPeople(services, caller);
    const person = all.find(({ member }) => member.accountId === accountId) ?? refuse(notFound('Member'));
    const name = person.account?.name ?? accountId;
    const grants = await listMemberGrants(services, { ...caller, accountId });
    const applications = { grants, origin: services.origin, now: services.now() };
    return {
      title: name,
      tab: 'Members',
      breadcrumbs: [{ name: 'Members', href: linkToOrganizationSettings(visit, 'members') }, { name }],
      body: <MemberPage visit={visit} refused={refused} {...person} {...applications} />,
    };
  },
});
