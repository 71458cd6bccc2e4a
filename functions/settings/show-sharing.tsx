import { getSharingSettings } from '#shared/organizations/sharing-settings.ts';
import { authorizeRead } from '#shared/organizations/standing.ts';
import { SharingPage } from '#shared/pages/organization/sharing-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showSharing',
  route: 'GET /{organizationId}/settings/sharing',
  needs: 'organizations:change',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, refused }, services) {
    const { organization } = await authorizeRead(services, caller, 'organizations:change');
    const settings = getSharingSettings(organization);
    return { title: 'Sharing and AI', tab: 'Sharing and AI', body: <SharingPage {...{ visit, settings, refused }} /> };
  },
});
