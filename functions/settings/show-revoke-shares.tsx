import { linkToShares } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showRevokeShares',
  route: 'GET /{organizationId}/{projectId}/shares/revoke',
  needs: 'shares:revokeAny',
  access: { table: 'read', artifacts: 'none' },
  show: ({ visit, refused }) => ({
    title: 'Revoke all shares',
    tab: 'Settings',
    body: (
      <QuestionPage
        question={`Revoke all shares of ${visit.project.name}?`}
        action={linkToShares(visit, 'revoke')}
        refused={refused}
        yes="Revoke all shares"
        no="Keep them"
        back={linkToShares(visit)}
      >
        The links will stop working immediately, for everyone who has them. This cannot be undone.
      </QuestionPage>
    ),
  }),
});
