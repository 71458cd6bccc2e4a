import { makeFormId } from '#shared/organizations/only-once.ts';
import { webhookBreadcrumbs, webhookName } from '#shared/pages/settings/webhook-names.tsx';
import { webhooksHref } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { page } from '#shared/platform/page.ts';
import { webhookOfProject } from '#shared/webhooks/find-webhook.ts';

export const handler = page({
  operationId: 'showRotateWebhookSecret',
  route: 'GET /{organizationId}/{projectId}/webhooks/{hookId}/secret',
  needs: 'webhooks:write',
  fresh: 'replace the secret of a webhook',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, path: { hookId }, refused }, services) {
    const webhook = await webhookOfProject(services, { ...caller, hookId });
    return {
      title: 'New signing secret',
      tab: 'Settings',
      hasSecret: true,
      breadcrumbs: webhookBreadcrumbs(visit, 'Signing secret', webhook),
      body: (
        <QuestionPage
          question={`Create a signing secret for ${webhookName(webhook)}?`}
          action={webhooksHref(visit, hookId, 'secret')}
          refused={refused}
          fields={{ formId: makeFormId(services) }}
          yes="Create and show the secret"
          no="Cancel"
          back={webhooksHref(visit, hookId)}
        >
          The secret is shown only once.{' '}
          {webhook.signed && 'For 24 hours, requests are signed with both the old and the new secret.'}
        </QuestionPage>
      ),
    };
  },
});
