import { redirect } from '#shared/engine/http/content.ts';
import { listOwnOrganizations } from '#shared/organizations/own-organizations.ts';
import { OrganizationList, WelcomePage } from '#shared/pages/home/home-page.tsx';
import { linkToOrganization } from '#shared/pages/shell/hrefs.ts';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showHome',
  route: 'GET /',
  needs: 'visitor',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit }, services) {
    if (!('account' in visit)) return { title: 'Test results', body: <WelcomePage visit={visit} /> };
    const organizations = await listOwnOrganizations(services, visit.person);
    const [only, ...more] = organizations;
    if (only && more.length === 0) return redirect(linkToOrganization({ ...visit, ...only }));
    return { title: 'Organizations', body: <OrganizationList visit={visit} organizations={organizations} /> };
  },
});
