import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { webhooks } from '#shared/model/events/webhook.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { makeFormId } from '#shared/organizations/only-once.ts';
import { getWebhookName, makeWebhookBreadcrumbs } from '#shared/pages/settings/webhook-names.tsx';
import { requireVisitedWebhook } from '#shared/pages/settings/webhook-of-visit.ts';
import { WebhookSecretPage } from '#shared/pages/settings/webhook-secret-page.tsx';
import { linkToWebhooks } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { form, page } from '#shared/platform/page.ts';
import { getProjectWebhook } from '#shared/webhooks/find-webhook.ts';
import { deleteSecret, rotateSecret } from '#shared/webhooks/rotate-secret.ts';

export const showRotateWebhookSecret = page({
  operationId: 'showRotateWebhookSecret',
  route: 'GET /{organizationId}/{projectId}/webhooks/{hookId}/secret',
  lambda: 'settings',
  needs: 'webhooks:write',
  adds: true,
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

export const submitRotateWebhookSecret = form({
  operationId: 'submitRotateWebhookSecret',
  route: 'POST /{organizationId}/{projectId}/webhooks/{hookId}/secret',
  needs: 'webhooks:write',
  fresh: 'replace the secret of a webhook',
  access: { table: 'readWrite', writes: [webhooks, auditRecords, submittedForms], artifacts: 'none' },
  fields: z.object({ formId: id }),
  page: 'showRotateWebhookSecret',
  async submit({ visit, path: { hookId }, fields: { formId } }, services) {
    const ref = await requireVisitedWebhook(services, visit, hookId);
    const { signingSecret: secret } = await rotateSecret(services, { ...ref, formId });
    const title = 'The signing secret was created';
    return {
      title,
      tab: 'Settings',
      hasSecret: true,
      body: <WebhookSecretPage {...{ visit, title, hookId, secret }} />,
    };
  },
});

export const showDeleteWebhookSecret = page({
  operationId: 'showDeleteWebhookSecret',
  route: 'GET /{organizationId}/{projectId}/webhooks/{hookId}/secret/delete',
  lambda: 'settings',
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

export const submitDeleteWebhookSecret = form({
  operationId: 'submitDeleteWebhookSecret',
  route: 'POST /{organizationId}/{projectId}/webhooks/{hookId}/secret/delete',
  needs: 'webhooks:write',
  notFresh: 'keepsReceivers',
  access: { table: 'readWrite', writes: [webhooks, auditRecords], artifacts: 'none' },
  page: 'showDeleteWebhookSecret',
  async submit({ visit, path: { hookId } }, services) {
    await deleteSecret(services, await requireVisitedWebhook(services, visit, hookId));
    return redirect(linkToWebhooks(visit, hookId));
  },
});
