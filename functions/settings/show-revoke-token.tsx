import { notFound, refuse } from '#shared/engine/errors.ts';
import { listPersonalTokens } from '#shared/organizations/list-personal-tokens.ts';
import { linkToOrganizationSettings, linkToTokens } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { page } from '#shared/platform/page.ts';

/** §5.2 People see their own tokens, and Admins see all tokens. */
export const handler = page({
  operationId: 'showRevokeToken',
  route: 'GET /{organizationId}/settings/tokens/{tokenId}/revoke',
  needs: 'tokens:list',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { tokenId }, refused }, services) {
    const all = await listPersonalTokens(services, caller);
    const { name, lastFour } = all.find((token) => token.tokenId === tokenId) ?? refuse(notFound('Token'));
    return {
      title: `Revoke ${name}`,
      tab: 'Tokens',
      body: (
        <QuestionPage
          question={`Revoke the token ${name}?`}
          action={linkToOrganizationSettings(visit, 'tokens', tokenId, 'revoke')}
          refused={refused}
          yes="Revoke this token"
          back={linkToTokens(visit)}
        >
          The token that ends with <code>{lastFour}</code> will be refused immediately. This cannot be undone.
        </QuestionPage>
      ),
    };
  },
});
