import * as z from 'zod';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery } from '#shared/engine/http/pagination.ts';
import { webhookBreadcrumbs, webhookName } from '#shared/pages/settings/webhook-names.tsx';
import { WebhookPage } from '#shared/pages/settings/webhook-page.tsx';
import { page } from '#shared/platform/page.ts';
import { webhookOfProject } from '#shared/webhooks/find-webhook.ts';
import { listDeliveries } from '#shared/webhooks/list-deliveries.ts';

export const handler = page({
  operationId: 'showWebhook',
  route: 'GET /{organizationId}/{projectId}/webhooks/{hookId}',
  needs: 'webhooks:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object(cursorQuery(PAGE_LIMITS.cursorPage)),
  async show({ visit, caller, path: { hookId }, query, refused }, services) {
    const webhook = await webhookOfProject(services, { ...caller, hookId });
    const found = await listDeliveries(services, { ...caller, hookId, query });
    const props = { visit, webhook, refused, deliveries: found.data, paging: { query, ...found } };
    return {
      title: webhookName(webhook),
      tab: 'Settings',
      breadcrumbs: webhookBreadcrumbs(visit, webhookName(webhook)),
      body: <WebhookPage {...props} />,
    };
  },
});
