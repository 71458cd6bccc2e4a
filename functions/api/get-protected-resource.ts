import { describeApiResource } from '#shared/access/protected-resource.ts';
import { ProtectedResource } from '#shared/access/protected-resource-wire.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

export const handler = endpoint({
  operationId: 'getProtectedResource',
  route: 'GET /.well-known/oauth-protected-resource',
  at: 'origin',
  permission: 'public',
  access: { table: 'none', artifacts: 'none' },
  summary: 'OAuth metadata of this API (RFC 9728)',
  response: ProtectedResource,
  isPublished: true,
  tool: 'none',
  handle: (_request, services) => describeApiResource(services),
});
