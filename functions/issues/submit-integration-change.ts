import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { findIntegration } from '#shared/issues/find-integration.ts';
import { saveIntegration } from '#shared/issues/integrations.ts';
import { integrations } from '#shared/model/issues/integration.ts';
import { getConnectionFormName } from '#shared/model/issues/tracker-kind.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { INTEGRATION_FIELDS, toIntegrationSettings } from '#shared/pages/issues/integration-wire.ts';
import { linkToIntegrations } from '#shared/pages/shell/hrefs.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import { form } from '#shared/platform/page.ts';

const trackers = connectTrackers();

export const handler = form({
  operationId: 'submitIntegrationChange',
  route: 'POST /{organizationId}/settings/integrations/{integrationId}/edit',
  needs: 'integrations:change',
  fresh: 'change the connection to an issue tracker',
  access: { table: 'readWrite', writes: [integrations, auditRecords], artifacts: 'none', trackers: 'readWrite' },
  fields: z.object(INTEGRATION_FIELDS),
  page: 'showEditIntegration',
  async submit({ visit, caller, path: { integrationId }, fields }, services) {
    const integration = await findIntegration(services, { ...caller, integrationId });
    const settings = toIntegrationSettings(getConnectionFormName(integration), fields);
    await saveIntegration({ ...services, ...trackers() }, { ...caller, integrationId, settings });
    return redirect(linkToIntegrations(visit));
  },
});
