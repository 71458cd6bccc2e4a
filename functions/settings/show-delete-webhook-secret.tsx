import { webhookBreadcrumbs, webhookName } from '#shared/pages/settings/webhook-names.tsx';
import { webhooksHref } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { page } from '#shared/platform/page.ts';
import { webhookOfProject } from '#shared/webhooks/find-webhook.ts';

export const handler = page({
  operationId: 'showDeleteWebhookSecret',
  route: 'GET /{organizationId}/{projectId}/webhooks/{hookId}/secret/delete',
  needs: 'webhooks:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { hookId }, refused }, services) {
    const webhook = await webhookOfProject(services, { ...caller, hookId });
    return {
      title: 'Delete the signing secret',
      tab: 'Settings',
      breadcrumbs: webhookBreadcrumbs(visit, 'Delete the secret', webhook),
      body: (
        <QuestionPage
          question={`Delete the signing secret of ${webhookName(webhook)}?`}
          action={webhooksHref(visit, hookId, 'secret', 'delete')}
          refused={refused}
          yes="Delete the signing secret"
          back={webhooksHref(visit, hookId)}
        >
          Requests will no longer be signed, effective immediately. Receivers that check signatures will refuse the
          unsigned requests.
        </QuestionPage>
      ),
    };
  },
});
