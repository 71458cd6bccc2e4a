import { makeFormId } from '#shared/organizations/only-once.ts';
import { findWebhookProblems } from '#shared/pages/settings/webhook-fields.ts';
import { NewWebhookPage } from '#shared/pages/settings/webhook-form.tsx';
import { makeWebhookBreadcrumbs } from '#shared/pages/settings/webhook-names.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showNewWebhook',
  route: 'GET /{organizationId}/{projectId}/webhooks/new',
  needs: 'webhooks:write',
  fresh: 'create a webhook',
  access: { table: 'read', artifacts: 'none' },
  show({ visit, refused }, services) {
    const problems = refused ? findWebhookProblems(services, refused.values) : {};
    return {
      title: 'New webhook',
      tab: 'Settings',
      hasSecret: true,
      breadcrumbs: makeWebhookBreadcrumbs(visit, 'New webhook'),
      body: <NewWebhookPage {...{ visit, refused, problems }} formId={makeFormId(services)} />,
    };
  },
});
