import { webhookBreadcrumbs, webhookName } from '#shared/pages/settings/webhook-names.tsx';
import { webhooksHref } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { page } from '#shared/platform/page.ts';
import { webhookOfProject } from '#shared/webhooks/find-webhook.ts';

export const handler = page({
  operationId: 'showDeleteWebhook',
  route: 'GET /{organizationId}/{projectId}/webhooks/{hookId}/delete',
  needs: 'webhooks:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { hookId }, refused }, services) {
    const webhook = await webhookOfProject(services, { ...caller, hookId });
    return {
      title: 'Delete the webhook',
      tab: 'Settings',
      breadcrumbs: webhookBreadcrumbs(visit, 'Delete', webhook),
      body: (
        <QuestionPage
          question={`Delete the webhook ${webhookName(webhook)}?`}
          action={webhooksHref(visit, hookId, 'delete')}
          refused={refused}
          yes="Delete the webhook"
          back={webhooksHref(visit, hookId)}
        >
          No more requests will be sent to this webhook, not even pending deliveries. This cannot be undone.
        </QuestionPage>
      ),
    };
  },
});
