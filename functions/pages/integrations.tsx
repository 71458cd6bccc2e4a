import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { findIntegration, listIntegrations } from '#shared/issues/find-integration.ts';
import { removeIntegration, saveIntegration, verifyIntegration } from '#shared/issues/integrations.ts';
import { integrations } from '#shared/model/issues/integration.ts';
import {
  CONNECTION_FORM_NAMES,
  CONNECTION_FORMS,
  getConnectionFormName,
  TRACKERS,
} from '#shared/model/issues/tracker-kind.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { creationTurns } from '#shared/model/organizations/creation-turn.ts';
import { listOrganizationProjects } from '#shared/organizations/organization-projects.ts';
import { IntegrationPage } from '#shared/pages/issues/integration-form.tsx';
import { INTEGRATION_FIELDS, toIntegrationSettings } from '#shared/pages/issues/integration-wire.ts';
import { IntegrationsPage, makeIntegrationBreadcrumbs } from '#shared/pages/issues/integrations-page.tsx';
import { linkToIntegrations } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { connectTrackers } from '#shared/platform/connect.ts';
import { form, page } from '#shared/platform/page.ts';

export const showIntegrations = page({
  operationId: 'showIntegrations',
  route: 'GET /{organizationId}/settings/integrations',
  lambda: 'issues',
  needs: 'integrations:change',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, refused }, services) {
    const [integrations, projects] = await Promise.all([
      listIntegrations(services, caller),
      listOrganizationProjects(services, caller),
    ]);
    const body = <IntegrationsPage {...{ visit, integrations, projects, refused }} now={services.now()} />;
    return { title: 'Issue trackers', tab: 'Issue trackers', body };
  },
});

/** Requires a recent sign-in, because details of failures are sent to the address that is entered in the form. */
export const showNewIntegration = page({
  operationId: 'showNewIntegration',
  route: 'GET /{organizationId}/settings/integrations/connect/{tracker}',
  lambda: 'issues',
  needs: 'integrations:change',
  fresh: 'connect an issue tracker',
  access: { table: 'read', artifacts: 'none' },
  path: { tracker: z.enum(CONNECTION_FORM_NAMES) },
  async show({ visit, caller, path: { tracker }, refused }, services) {
    const projects = await listOrganizationProjects(services, caller);
    const title = `Connect ${CONNECTION_FORMS[tracker].name}`;
    return {
      title,
      tab: 'Issue trackers',
      breadcrumbs: makeIntegrationBreadcrumbs(visit, title),
      body: <IntegrationPage {...{ visit, tracker, projects, refused }} />,
    };
  },
});

const trackers = connectTrackers();
export const submitNewIntegration = form({
  operationId: 'submitNewIntegration',
  route: 'POST /{organizationId}/settings/integrations/connect/{tracker}',
  lambda: 'issues',
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

export const showEditIntegration = page({
  operationId: 'showEditIntegration',
  route: 'GET /{organizationId}/settings/integrations/{integrationId}/edit',
  lambda: 'issues',
  needs: 'integrations:change',
  fresh: 'change the connection to an issue tracker',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { integrationId }, refused }, services) {
    const [integration, projects] = await Promise.all([
      findIntegration(services, { ...caller, integrationId }),
      listOrganizationProjects(services, caller),
    ]);
    const title = `Change ${integration.name}`;
    const tracker = getConnectionFormName(integration);
    return {
      title,
      tab: 'Issue trackers',
      breadcrumbs: makeIntegrationBreadcrumbs(visit, title),
      body: <IntegrationPage {...{ visit, tracker, integration, projects, refused }} />,
    };
  },
});

export const submitIntegrationChange = form({
  operationId: 'submitIntegrationChange',
  route: 'POST /{organizationId}/settings/integrations/{integrationId}/edit',
  lambda: 'issues',
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

/** The response is the page itself, because a redirect could not carry the name of the account. */
export const submitIntegrationTest = form({
  operationId: 'submitIntegrationTest',
  route: 'POST /{organizationId}/settings/integrations/{integrationId}/test',
  lambda: 'issues',
  needs: 'integrations:change',
  notFresh: 'keepsReceivers',
  access: { table: 'readWrite', writes: [integrations], artifacts: 'none', trackers: 'read' },
  /** `integrationId` tells the page next to which connection to show an error. */
  fields: z.object({ integrationId: z.string().default('') }),
  page: 'showIntegrations',
  async submit({ visit, caller, path: { integrationId } }, services) {
    const account = await verifyIntegration({ ...services, ...trackers() }, { ...caller, integrationId });
    const [all, projects] = await Promise.all([
      listIntegrations(services, caller),
      listOrganizationProjects(services, caller),
    ]);
    const props = { visit, integrations: all, projects, now: services.now(), refused: undefined };
    const body = <IntegrationsPage {...props} tested={{ integrationId, account }} />;
    return { title: 'Issue trackers', tab: 'Issue trackers', body };
  },
});

export const showRemoveIntegration = page({
  operationId: 'showRemoveIntegration',
  route: 'GET /{organizationId}/settings/integrations/{integrationId}/remove',
  lambda: 'issues',
  needs: 'integrations:change',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { integrationId }, refused }, services) {
    const integration = await findIntegration(services, { ...caller, integrationId });
    const title = `Remove ${integration.name}`;
    return {
      title,
      tab: 'Issue trackers',
      breadcrumbs: makeIntegrationBreadcrumbs(visit, title),
      body: (
        <QuestionPage
          question={`Remove the connection ${integration.name}?`}
          action={linkToIntegrations(visit, integrationId, 'remove')}
          refused={refused}
          yes="Remove the connection"
          back={linkToIntegrations(visit)}
        >
          Rundown deletes the stored token. Nobody can create or link issues through this connection any more. Linked
          issues stay on the pages of their tests, but their state is no longer updated. Nothing changes in{' '}
          {TRACKERS[integration.kind].name}.
        </QuestionPage>
      ),
    };
  },
});

export const submitRemoveIntegration = form({
  operationId: 'submitRemoveIntegration',
  route: 'POST /{organizationId}/settings/integrations/{integrationId}/remove',
  lambda: 'issues',
  needs: 'integrations:change',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [integrations, auditRecords], artifacts: 'none', trackers: 'readWrite' },
  page: 'showRemoveIntegration',
  async submit({ visit, caller, path: { integrationId } }, services) {
    await removeIntegration({ ...services, ...trackers() }, { ...caller, integrationId });
    return redirect(linkToIntegrations(visit));
  },
});
