import { makeFormId } from '#shared/organizations/only-once.ts';
import { InvitePage } from '#shared/pages/organization/invite-page.tsx';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showInvite',
  route: 'GET /{organizationId}/settings/members/invite',
  needs: 'invitations:create',
  fresh: 'invite a person',
  access: { table: 'none', artifacts: 'none' },
  show: ({ visit, refused }, services) => ({
    title: 'Invite a person',
    tab: 'Members',
    breadcrumbs: [{ name: 'Members', href: linkToOrganizationSettings(visit, 'members') }, { name: 'Invite' }],
    hasSecret: true,
    body: <InvitePage visit={visit} refused={refused} formId={makeFormId(services)} />,
  }),
});
