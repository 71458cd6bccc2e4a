import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { endpoint } from '#shared/endpoint.ts';

/** Made from the declarations when the functions are built: JSON, gzip, base64, since it would be a fifth of the function. */
declare const BUILT_OPENAPI: string;

export const handler = endpoint({
  operationId: 'getOpenapi',
  route: 'GET /docs/openapi.json',
  permission: 'public',
  access: { table: 'none', artifacts: 'none' },
  summary: 'This description, OpenAPI 3.1',
  response: z.record(z.string(), z.unknown()),
  handle: (_request, { origin }) => ({
    ...z.record(z.string(), z.unknown()).parse(JSON.parse(gunzipSync(Buffer.from(BUILT_OPENAPI, 'base64')).toString())),
    servers: [{ url: `${origin}/v1` }],
  }),
});
