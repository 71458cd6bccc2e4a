import { webhookBreadcrumbs } from '#shared/pages/webhook-names.tsx';
import { WebhooksPage } from '#shared/pages/webhooks-page.tsx';
import { page } from '#shared/platform/page.ts';
import { listWebhooks } from '#shared/webhooks/find-webhook.ts';

export const handler = page({
  operationId: 'showWebhooks',
  route: 'GET /{organizationId}/{projectId}/webhooks',
  needs: 'webhooks:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit }, services) {
    const { organizationId, projectId } = visit;
    const webhooks = await listWebhooks(services, { organizationId, projectId });
    return {
      title: 'Webhooks',
      tab: 'Settings',
      breadcrumbs: webhookBreadcrumbs(visit),
      body: <WebhooksPage visit={visit} webhooks={webhooks} />,
    };
  },
});
