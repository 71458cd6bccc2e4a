import { redirect } from '#shared/engine/http/content.ts';
import { removeIntegration } from '#shared/issues/integrations.ts';
import { integrations } from '#shared/model/issues/integration.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { linkToIntegrations } from '#shared/pages/shell/hrefs.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import { form } from '#shared/platform/page.ts';

const trackers = connectTrackers();

export const handler = form({
  operationId: 'submitRemoveIntegration',
  route: 'POST /{organizationId}/settings/integrations/{integrationId}/remove',
  needs: 'integrations:change',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [integrations, auditRecords], artifacts: 'none', trackers: 'readWrite' },
  page: 'showRemoveIntegration',
  async submit({ visit, caller, path: { integrationId } }, services) {
    await removeIntegration({ ...services, ...trackers() }, { ...caller, integrationId });
    return redirect(linkToIntegrations(visit));
  },
});
