import { getWebhookName, makeWebhookBreadcrumbs } from '#shared/pages/settings/webhook-names.tsx';
import { linkToWebhooks } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { page } from '#shared/platform/page.ts';
import { getProjectWebhook } from '#shared/webhooks/find-webhook.ts';

export const handler = page({
  operationId: 'showDeleteWebhookSecret',
  route: 'GET /{organizationId}/{projectId}/webhooks/{hookId}/secret/delete',
  needs: 'webhooks:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { hookId }, refused }, services) {
    const webhook = await getProjectWebhook(services, { ...caller, hookId });
    return {
      title: 'Delete the signing secret',
      tab: 'Settings',
      breadcrumbs: makeWebhookBreadcrumbs(visit, 'Delete the secret', webhook),
      body: (
        <QuestionPage
          question={`Delete the signing secret of ${getWebhookName(webhook)}?`}
          action={linkToWebhooks(visit, hookId, 'secret', 'delete')}
          refused={refused}
          yes="Delete the signing secret"
          back={linkToWebhooks(visit, hookId)}
        >
          Requests will no longer be signed, effective immediately. Receivers that check signatures will refuse the
          unsigned requests.
        </QuestionPage>
      ),
    };
  },
});
