import * as z from 'zod';
import { endpoint } from '#shared/endpoint.ts';

/** Made from the declarations when the functions are built. */
declare const BUILT_OPENAPI: Readonly<Record<string, unknown>>;

export const handler = endpoint({
  operationId: 'getOpenapi',
  route: 'GET /docs/openapi.json',
  permission: 'public',
  access: { table: 'none', artifacts: 'none' },
  summary: 'This description, OpenAPI 3.1',
  response: z.record(z.string(), z.unknown()),
  handle: (_request, { origin }) => ({ ...BUILT_OPENAPI, servers: [{ url: `${origin}/v1` }] }),
});
