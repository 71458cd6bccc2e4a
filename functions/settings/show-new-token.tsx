import * as z from 'zod';
import { may } from '#shared/access/may.ts';
import { id } from '#shared/model/names.ts';
import { makeFormId } from '#shared/organizations/only-once.ts';
import { listOwnOrganizations } from '#shared/organizations/own-organizations.ts';
import { NewTokenPage } from '#shared/pages/organization/new-token-page.tsx';
import { linkToAccount, linkToAccountForm } from '#shared/pages/shell/hrefs.ts';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showNewToken',
  route: 'GET /account/tokens/new',
  needs: 'account',
  fresh: 'create a personal access token',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ organization_id: id.optional() }),
  async show({ visit, query: { organization_id: organizationId }, refused }, services) {
    const all = await listOwnOrganizations(services, visit.person);
    const organizations = all.filter(({ role }) => may({ ...visit.person, role }, 'tokens:create'));
    const props = { visit, organizations, organizationId, refused, formId: makeFormId(services), now: services.now() };
    return {
      title: 'New personal access token',
      breadcrumbs: [
        { name: 'Your account', href: linkToAccount(visit) },
        { name: 'Tokens', href: linkToAccountForm(visit, 'tokens') },
        { name: 'New' },
      ],
      hasSecret: true,
      body: <NewTokenPage {...props} />,
    };
  },
});
