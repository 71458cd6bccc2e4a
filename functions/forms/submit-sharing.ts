import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { changeSharing } from '#shared/organizations/sharing-settings.ts';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { SharingForm } from '#shared/shares/share-wire.ts';

export const handler = form({
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
