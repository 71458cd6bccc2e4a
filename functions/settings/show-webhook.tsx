import * as z from 'zod';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery } from '#shared/engine/http/pagination.ts';
import { getWebhookName, makeWebhookBreadcrumbs } from '#shared/pages/settings/webhook-names.tsx';
import { WebhookPage } from '#shared/pages/settings/webhook-page.tsx';
import { page } from '#shared/platform/page.ts';
import { getProjectWebhook } from '#shared/webhooks/find-webhook.ts';
import { listDeliveries } from '#shared/webhooks/list-deliveries.ts';

export const handler = page({
  operationId: 'showWebhook',
  route: 'GET /{organizationId}/{projectId}/webhooks/{hookId}',
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
