import { makeFormId } from '#shared/organizations/only-once.ts';
import { getWebhookName, makeWebhookBreadcrumbs } from '#shared/pages/settings/webhook-names.tsx';
import { linkToWebhooks } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { page } from '#shared/platform/page.ts';
import { getProjectWebhook } from '#shared/webhooks/find-webhook.ts';

export const handler = page({
  operationId: 'showRotateWebhookSecret',
  route: 'GET /{organizationId}/{projectId}/webhooks/{hookId}/secret',
  needs: 'webhooks:write',
  fresh: 'replace the secret of a webhook',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { hookId }, refused }, services) {
    const webhook = await getProjectWebhook(services, { ...caller, hookId });
    return {
      title: 'New signing secret',
      tab: 'Settings',
      hasSecret: true,
      breadcrumbs: makeWebhookBreadcrumbs(visit, 'Signing secret', webhook),
      body: (
        <QuestionPage
          question={`Create a signing secret for ${getWebhookName(webhook)}?`}
          action={linkToWebhooks(visit, hookId, 'secret')}
          refused={refused}
          fields={{ formId: makeFormId(services) }}
          yes="Create and show the secret"
          no="Cancel"
          back={linkToWebhooks(visit, hookId)}
        >
          The secret is shown only once.{' '}
          {webhook.signed && 'For 24 hours, requests are signed with both the old and the new secret.'}
        </QuestionPage>
      ),
    };
  },
});
