import { getWebhookName, makeWebhookBreadcrumbs } from '#shared/pages/settings/webhook-names.tsx';
import { linkToWebhooks } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { page } from '#shared/platform/page.ts';
import { getProjectWebhook } from '#shared/webhooks/find-webhook.ts';

export const handler = page({
  operationId: 'showDeleteWebhook',
  route: 'GET /{organizationId}/{projectId}/webhooks/{hookId}/delete',
  needs: 'webhooks:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { hookId }, refused }, services) {
    const webhook = await getProjectWebhook(services, { ...caller, hookId });
    return {
      title: 'Delete the webhook',
      tab: 'Settings',
      breadcrumbs: makeWebhookBreadcrumbs(visit, 'Delete', webhook),
      body: (
        <QuestionPage
          question={`Delete the webhook ${getWebhookName(webhook)}?`}
          action={linkToWebhooks(visit, hookId, 'delete')}
          refused={refused}
          yes="Delete the webhook"
          back={linkToWebhooks(visit, hookId)}
        >
          No more requests will be sent to this webhook, not even pending deliveries. This cannot be undone.
        </QuestionPage>
      ),
    };
  },
});
