import { findWebhookProblems } from '#shared/pages/settings/webhook-fields.ts';
import { EditWebhookPage } from '#shared/pages/settings/webhook-form.tsx';
import { getWebhookName, makeWebhookBreadcrumbs } from '#shared/pages/settings/webhook-names.tsx';
import { page } from '#shared/platform/page.ts';
import { getProjectWebhook } from '#shared/webhooks/find-webhook.ts';

/** Requires a recent sign-in, because the form shows header values, which are secrets. */
export const handler = page({
  operationId: 'showEditWebhook',
  route: 'GET /{organizationId}/{projectId}/webhooks/{hookId}/edit',
  needs: 'webhooks:write',
  fresh: 'change a webhook',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { hookId }, refused }, services) {
    const webhook = await getProjectWebhook(services, { ...caller, hookId });
    const problems = refused ? findWebhookProblems(services, refused.values) : {};
    return {
      title: `Change ${getWebhookName(webhook)}`,
      tab: 'Settings',
      hasSecret: true,
      breadcrumbs: makeWebhookBreadcrumbs(visit, 'Change', webhook),
      body: <EditWebhookPage {...{ visit, webhook, refused, problems }} />,
    };
  },
});
