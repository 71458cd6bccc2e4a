import * as z from 'zod';
import { nothing, wrapOk } from '#shared/engine/http/envelope.ts';
import { getRelease } from '#shared/engine/release.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** Checks API Gateway and Lambda, but not DynamoDB. */
export const handler = endpoint({
  operationId: 'getHealth',
  route: 'GET /health',
  at: 'both',
  permission: 'public',
  access: { table: 'none', artifacts: 'none' },
  summary: 'Check whether the service is up, and which release runs',
  response: nothing.extend({
    version: z.string(),
    commit: z.string().optional().meta({ description: 'The commit that was deployed' }),
  }),
  tool: 'none',
  handle: () => wrapOk(getRelease()),
});
