import { may } from '#shared/access/may.ts';
import { listOwnTokens } from '#shared/organizations/list-personal-tokens.ts';
import { listOwnOrganizations } from '#shared/organizations/own-organizations.ts';
import { OwnTokensPage } from '#shared/pages/organization/tokens-page.tsx';
import { linkToAccount } from '#shared/pages/shell/hrefs.ts';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showOwnTokens',
  route: 'GET /account/tokens',
  needs: 'account',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit }, services) {
    const [tokens, organizations] = await Promise.all([
      listOwnTokens(services, visit.person),
      listOwnOrganizations(services, visit.person),
    ]);
    const mayCreate = organizations.some(({ role }) => may({ ...visit.person, role }, 'tokens:create'));
    return {
      title: 'Personal access tokens',
      breadcrumbs: [{ name: 'Your account', href: linkToAccount(visit) }, { name: 'Tokens' }],
      body: <OwnTokensPage visit={visit} tokens={tokens} now={services.now()} mayCreate={mayCreate} />,
    };
  },
});
