import { endpoint } from '#shared/platform/endpoint.ts';
import { getOpenApiDocument, OpenApiDocument } from '#shared/platform/openapi-document.ts';

export const handler = endpoint({
  operationId: 'getOpenapi',
  route: 'GET /docs/openapi.json',
  permission: 'public',
  access: { table: 'none', artifacts: 'none' },
  summary: 'Get this API description (OpenAPI 3.1)',
  response: OpenApiDocument,
  isPublished: true,
  tool: 'none',
  handle: (_request, services) => getOpenApiDocument(services),
});
