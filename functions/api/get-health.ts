import { endpoint } from '#shared/endpoint.ts';
import { nothing, ok } from '#shared/envelope.ts';

/** Answers as long as the gateway and Lambda do; asks nothing of the table. */
export const handler = endpoint({
  operationId: 'getHealth',
  route: 'GET /health',
  at: 'origin',
  permission: 'public',
  access: { table: 'none', artifacts: 'none' },
  summary: 'Whether the service answers',
  response: nothing,
  handle: () => ok({}),
});
