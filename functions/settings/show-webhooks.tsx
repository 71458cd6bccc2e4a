import { makeWebhookBreadcrumbs } from '#shared/pages/settings/webhook-names.tsx';
import { WebhooksPage } from '#shared/pages/settings/webhooks-page.tsx';
import { page } from '#shared/platform/page.ts';
import { listWebhooks } from '#shared/webhooks/find-webhook.ts';
import { readLastDeliveries } from '#shared/webhooks/list-deliveries.ts';

export const handler = page({
  operationId: 'showWebhooks',
  route: 'GET /{organizationId}/{projectId}/webhooks',
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
