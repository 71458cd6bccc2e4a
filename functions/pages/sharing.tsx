import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { changeSharing, getSharingSettings } from '#shared/organizations/sharing-settings.ts';
import { authorizeRead } from '#shared/organizations/standing.ts';
import { SharingPage } from '#shared/pages/organization/sharing-page.tsx';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { form, page } from '#shared/platform/page.ts';
import { SharingForm } from '#shared/shares/share-wire.ts';

export const showSharing = page({
  operationId: 'showSharing',
  route: 'GET /{organizationId}/settings/sharing',
  lambda: 'settings',
  needs: 'organizations:change',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, refused }, services) {
    const { organization } = await authorizeRead(services, caller, 'organizations:change');
    const settings = getSharingSettings(organization);
    return { title: 'Sharing and AI', tab: 'Sharing and AI', body: <SharingPage {...{ visit, settings, refused }} /> };
  },
});

export const submitSharing = form({
  operationId: 'submitSharing',
  route: 'POST /{organizationId}/settings/sharing',
  needs: 'organizations:change',
  access: { table: 'readWrite', writes: [organizations, auditRecords], artifacts: 'none' },
  fields: SharingForm,
  page: 'showSharing',
  async submit({ visit, caller, fields: settings }, services) {
    await changeSharing(services, { ...caller, settings });
    return redirect(linkToOrganizationSettings(visit, 'sharing'));
  },
});
