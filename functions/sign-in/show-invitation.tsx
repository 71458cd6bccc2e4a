import { InvitationPage } from '#shared/pages/account/invitation-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showInvitation',
  route: 'GET /invitations',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  show: ({ visit, refused }) => ({
    title: 'Join an organization',
    hasSecret: true,
    body: <InvitationPage visit={visit} refused={refused} />,
  }),
});
