import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { saveIntegration } from '#shared/issues/integrations.ts';
import { integrations } from '#shared/model/issues/integration.ts';
import { CONNECTION_FORM_NAMES } from '#shared/model/issues/tracker-kind.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { creationTurns } from '#shared/model/organizations/creation-turn.ts';
import { INTEGRATION_FIELDS, toIntegrationSettings } from '#shared/pages/issues/integration-wire.ts';
import { linkToIntegrations } from '#shared/pages/shell/hrefs.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import { form } from '#shared/platform/page.ts';

const trackers = connectTrackers();

export const handler = form({
  operationId: 'submitNewIntegration',
  route: 'POST /{organizationId}/settings/integrations/connect/{tracker}',
  needs: 'integrations:change',
  fresh: 'connect an issue tracker',
  access: {
    table: 'readWrite',
    writes: [integrations, auditRecords, creationTurns],
    artifacts: 'none',
    trackers: 'readWrite',
  },
  path: { tracker: z.enum(CONNECTION_FORM_NAMES) },
  fields: z.object(INTEGRATION_FIELDS),
  page: 'showNewIntegration',
  async submit({ visit, caller, path: { tracker }, fields }, services) {
    const settings = toIntegrationSettings(tracker, fields);
    const request = { ...caller, integrationId: undefined, settings };
    await saveIntegration({ ...services, ...trackers() }, request);
    return redirect(linkToIntegrations(visit));
  },
});
