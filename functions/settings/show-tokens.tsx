import { loadPeopleNames } from '#shared/organizations/actor-names.ts';
import { listPersonalTokens } from '#shared/organizations/list-personal-tokens.ts';
import { TokensPage } from '#shared/pages/organization/tokens-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showTokens',
  route: 'GET /{organizationId}/settings/tokens',
  needs: 'tokens:listAll',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller }, services) {
    const tokens = await listPersonalTokens(services, caller);
    const ownerOf = await loadPeopleNames(services, tokens);
    const body = <TokensPage visit={visit} tokens={tokens} now={services.now()} ownerOf={ownerOf} />;
    return { title: 'Personal access tokens', tab: 'Tokens', body };
  },
});
