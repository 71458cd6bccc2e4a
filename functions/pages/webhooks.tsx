import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery } from '#shared/engine/http/pagination.ts';
import { deliveries } from '#shared/model/events/delivery.ts';
import { outbox } from '#shared/model/events/outbox.ts';
import { webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { makeFormId } from '#shared/organizations/only-once.ts';
import { findWebhookProblems, WEBHOOK_FIELDS } from '#shared/pages/settings/webhook-fields.ts';
import { EditWebhookPage, NewWebhookPage } from '#shared/pages/settings/webhook-form.tsx';
import { getWebhookName, makeWebhookBreadcrumbs } from '#shared/pages/settings/webhook-names.tsx';
import { requireVisitedWebhook } from '#shared/pages/settings/webhook-of-visit.ts';
import { WebhookPage } from '#shared/pages/settings/webhook-page.tsx';
import { WebhookSecretPage } from '#shared/pages/settings/webhook-secret-page.tsx';
import { WebhooksPage } from '#shared/pages/settings/webhooks-page.tsx';
import { linkToWebhooks } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { form, page } from '#shared/platform/page.ts';
import { deleteWebhook } from '#shared/webhooks/change-webhook.ts';
import { createWebhook } from '#shared/webhooks/create-webhook.ts';
import { getProjectWebhook, listWebhooks } from '#shared/webhooks/find-webhook.ts';
import { formatHeaderLines, parseHeaderLines } from '#shared/webhooks/header-lines.ts';
import { listDeliveries, readLastDeliveries } from '#shared/webhooks/list-deliveries.ts';
import { redeliver } from '#shared/webhooks/redeliver.ts';
import { sendTestEvent } from '#shared/webhooks/test-event.ts';
import { updateWebhook } from '#shared/webhooks/update-webhook.ts';

export const showWebhooks = page({
  operationId: 'showWebhooks',
  route: 'GET /{organizationId}/{projectId}/webhooks',
  lambda: 'settings',
  needs: 'webhooks:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller }, services) {
    const webhooks = await listWebhooks(services, caller);
    const hookIds = webhooks.map(({ hookId }) => hookId);
    const last = await readLastDeliveries(services, { ...caller, hookIds });
    return {
      title: 'Webhooks',
      tab: 'Settings',
      breadcrumbs: makeWebhookBreadcrumbs(visit),
      body: <WebhooksPage visit={visit} webhooks={webhooks} last={last} />,
    };
  },
});

export const showWebhook = page({
  operationId: 'showWebhook',
  route: 'GET /{organizationId}/{projectId}/webhooks/{hookId}',
  lambda: 'settings',
  needs: 'webhooks:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object(cursorQuery(PAGE_LIMITS.cursorPage)),
  async show({ visit, caller, path: { hookId }, query, refused }, services) {
    const webhook = await getProjectWebhook(services, { ...caller, hookId });
    const result = await listDeliveries(services, { ...caller, hookId, query });
    const props = { visit, webhook, refused, deliveries: result.data, paging: { query, ...result } };
    return {
      title: getWebhookName(webhook),
      tab: 'Settings',
      breadcrumbs: makeWebhookBreadcrumbs(visit, getWebhookName(webhook)),
      body: <WebhookPage {...props} />,
    };
  },
});

export const showNewWebhook = page({
  operationId: 'showNewWebhook',
  route: 'GET /{organizationId}/{projectId}/webhooks/new',
  lambda: 'settings',
  needs: 'webhooks:write',
  adds: true,
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

export const submitNewWebhook = form({
  operationId: 'submitNewWebhook',
  route: 'POST /{organizationId}/{projectId}/webhooks/new',
  needs: 'webhooks:write',
  fresh: 'create a webhook',
  access: {
    table: 'readWrite',
    writes: [webhooks, webhooksOfProject, projects, auditRecords, submittedForms],
    artifacts: 'none',
  },
  fields: z.object({ formId: id, ...WEBHOOK_FIELDS, signed: z.string().optional() }),
  page: 'showNewWebhook',
  async submit({ visit, caller, fields: { formId, ...fields } }, services) {
    const input = { ...fields, headers: parseHeaderLines(fields.headers), signed: fields.signed === 'true' };
    const webhook = await createWebhook(services, { ...caller, formId, input });
    const { hookId, signingSecret: secret } = webhook;
    if (secret === undefined) return redirect(linkToWebhooks(visit, hookId));
    const title = 'The webhook was created';
    return {
      title,
      tab: 'Settings',
      hasSecret: true,
      body: <WebhookSecretPage {...{ visit, title, hookId, secret }} />,
    };
  },
});

/** Requires a recent sign-in, because the form shows header values, which are secrets. */
export const showEditWebhook = page({
  operationId: 'showEditWebhook',
  route: 'GET /{organizationId}/{projectId}/webhooks/{hookId}/edit',
  lambda: 'settings',
  needs: 'webhooks:write',
  adds: true,
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

export const submitWebhookChange = form({
  operationId: 'submitWebhookChange',
  route: 'POST /{organizationId}/{projectId}/webhooks/{hookId}/edit',
  needs: 'webhooks:write',
  fresh: 'change a webhook',
  access: { table: 'readWrite', writes: [webhooks, deliveries, outbox, auditRecords], artifacts: 'none' },
  fields: z.object(WEBHOOK_FIELDS),
  page: 'showEditWebhook',
  async submit({ visit, caller, path: { hookId }, fields }, services) {
    const { headers: storedHeaders } = await getProjectWebhook(services, { ...caller, hookId });
    const headers = parseHeaderLines(fields.headers);
    // Equal headers may be spelled differently in the form and in the stored webhook, so compare the normalized lines.
    const isSame = formatHeaderLines(headers) === formatHeaderLines(storedHeaders);
    const input = { ...fields, headers: isSame ? undefined : headers };
    await updateWebhook(services, { ...caller, hookId, input });
    return redirect(linkToWebhooks(visit, hookId));
  },
});

export const submitWebhookEnabled = form({
  operationId: 'submitWebhookEnabled',
  route: 'POST /{organizationId}/{projectId}/webhooks/{hookId}/enabled',
  needs: 'webhooks:write',
  notFresh: 'keepsReceivers',
  access: { table: 'readWrite', writes: [webhooks, deliveries, outbox, auditRecords], artifacts: 'none' },
  fields: z.object({ enabled: z.enum(['true', 'false']) }),
  page: 'showWebhook',
  async submit({ visit, path: { hookId }, fields: { enabled } }, services) {
    const ref = await requireVisitedWebhook(services, visit, hookId);
    await updateWebhook(services, { ...ref, input: { enabled: enabled === 'true' } });
    return redirect(linkToWebhooks(visit, hookId));
  },
});

export const submitWebhookTest = form({
  operationId: 'submitWebhookTest',
  route: 'POST /{organizationId}/{projectId}/webhooks/{hookId}/test',
  needs: 'webhooks:write',
  notFresh: 'keepsReceivers',
  access: { table: 'readWrite', writes: [webhooks, deliveries, outbox, auditRecords], artifacts: 'none' },
  page: 'showWebhook',
  async submit({ visit, path: { hookId } }, services) {
    await sendTestEvent(services, await requireVisitedWebhook(services, visit, hookId));
    return redirect(linkToWebhooks(visit, hookId));
  },
});

export const submitRedelivery = form({
  operationId: 'submitRedelivery',
  route: 'POST /{organizationId}/{projectId}/webhooks/{hookId}/deliveries/{deliveryId}/redeliver',
  needs: 'webhooks:write',
  notFresh: 'keepsReceivers',
  access: { table: 'readWrite', writes: [webhooks, deliveries, outbox, auditRecords], artifacts: 'none' },
  page: 'showWebhook',
  async submit({ visit, path: { hookId, deliveryId } }, services) {
    await redeliver(services, { ...(await requireVisitedWebhook(services, visit, hookId)), deliveryId });
    return redirect(linkToWebhooks(visit, hookId));
  },
});

export const showDeleteWebhook = page({
  operationId: 'showDeleteWebhook',
  route: 'GET /{organizationId}/{projectId}/webhooks/{hookId}/delete',
  lambda: 'settings',
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

export const submitDeleteWebhook = form({
  operationId: 'submitDeleteWebhook',
  route: 'POST /{organizationId}/{projectId}/webhooks/{hookId}/delete',
  needs: 'webhooks:write',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [webhooks, webhooksOfProject, projects, auditRecords], artifacts: 'none' },
  page: 'showDeleteWebhook',
  async submit({ visit, path: { hookId } }, services) {
    await deleteWebhook(services, await requireVisitedWebhook(services, visit, hookId));
    return redirect(linkToWebhooks(visit));
  },
});
