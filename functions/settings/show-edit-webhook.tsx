import { webhookProblems } from '#shared/pages/settings/webhook-fields.ts';
import { EditWebhookPage } from '#shared/pages/settings/webhook-form.tsx';
import { webhookBreadcrumbs, webhookName } from '#shared/pages/settings/webhook-names.tsx';
import { page } from '#shared/platform/page.ts';
import { webhookOfProject } from '#shared/webhooks/find-webhook.ts';

/** Requires a recent sign-in, because the form shows header values, which are secrets. */
export const handler = page({
  operationId: 'showEditWebhook',
  route: 'GET /{organizationId}/{projectId}/webhooks/{hookId}/edit',
  needs: 'webhooks:write',
  fresh: 'change a webhook',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { hookId }, refused }, services) {
    const webhook = await webhookOfProject(services, { ...caller, hookId });
    const problems = refused ? webhookProblems(services, refused.values) : {};
    return {
      title: `Change ${webhookName(webhook)}`,
      tab: 'Settings',
      hasSecret: true,
      breadcrumbs: webhookBreadcrumbs(visit, 'Change', webhook),
      body: <EditWebhookPage {...{ visit, webhook, refused, problems }} />,
    };
  },
});
