import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showLeave',
  route: 'GET /{organizationId}/settings/leave',
  needs: 'members:leave',
  access: { table: 'none', artifacts: 'none' },
  show: ({ visit, refused }) => ({
    title: `Leave ${visit.organizationName}`,
    tab: 'Members',
    body: (
      <QuestionPage
        question={`Leave ${visit.organizationName}?`}
        action={linkToOrganizationSettings(visit, 'leave')}
        refused={refused}
        yes="Leave this organization"
        no="Stay"
        back={linkToOrganizationSettings(visit, 'members')}
      >
        You will lose access immediately. Your personal access tokens and connected applications will stop working for
        this organization. To come back, you will need an invitation.
      </QuestionPage>
    ),
  }),
});
