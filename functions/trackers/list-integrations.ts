import { listOf, wrapData } from '#shared/engine/http/envelope.ts';
import { listIntegrations } from '#shared/issues/find-integration.ts';
import { IntegrationWire, presentIntegration } from '#shared/issues/issue-wire.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §5.2 */
export const handler = endpoint({
  operationId: 'listIntegrations',
  route: 'GET /integrations',
  permission: 'trackers:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the connections of the organization to issue trackers',
  response: listOf(IntegrationWire),
  tool: {
    description: 'Use it to get the `integrationId` that the other tools for issues need.',
    note: ({ request: { actor }, result, services }) =>
      result.data.length > 0
        ? undefined
        : `No issue tracker is connected. An Admin connects one at ${services.origin}/${actor.organizationId}/settings/integrations.`,
    next: 'list_tracker_projects with `integrationId`.',
  },
  async handle({ actor }, services) {
    return wrapData((await listIntegrations(services, actor)).map(presentIntegration));
  },
});
