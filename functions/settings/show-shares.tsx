import { loadPeopleNames } from '#shared/organizations/actor-names.ts';
import { SharesPage } from '#shared/pages/shares/shares-page.tsx';
import { page } from '#shared/platform/page.ts';
import { listShares } from '#shared/shares/list-shares.ts';

export const handler = page({
  operationId: 'showShares',
  route: 'GET /{organizationId}/{projectId}/shares',
  needs: 'shares:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, refused }, services) {
    const shares = await listShares(services, visit);
    const creatorOf = await loadPeopleNames(services, shares);
    const body = <SharesPage {...{ visit, shares, creatorOf, refused }} now={services.now()} />;
    return { title: 'Shares', tab: 'Settings', body };
  },
});
