import { ProtectedResource, protectedResource } from '#shared/credentials/protected-resource.ts';
import { endpoint } from '#shared/endpoint.ts';

export const handler = endpoint({
  operationId: 'getMcpProtectedResource',
  route: 'GET /.well-known/oauth-protected-resource/mcp',
  at: 'origin',
  permission: 'public',
  access: { table: 'none', artifacts: 'none' },
  summary: 'Who issues access tokens for the MCP resource, which the API does not take (RFC 9728)',
  response: ProtectedResource,
  handle: (_request, services) => protectedResource(services, '/mcp'),
});
