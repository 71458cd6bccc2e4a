import { nothing, ok } from '#shared/engine/http/envelope.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** Checks API Gateway and Lambda, but not DynamoDB. */
export const handler = endpoint({
  operationId: 'getHealth',
  route: 'GET /health',
  at: 'both',
  permission: 'public',
  access: { table: 'none', artifacts: 'none' },
  summary: 'Check whether the service is up',
  response: nothing,
  tool: 'none',
  handle: () => ok({}),
});
