import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { endpoint } from '#shared/endpoint.ts';

/** Made from the declarations when the functions are built: JSON, gzip, base64, since it would be a fifth of the function. */
declare const BUILT_OPENAPI: string;

const Document = z.record(z.string(), z.unknown());
const Built = z.object({ servers: z.tuple([z.object({ url: z.url() })]) });

/** With this deployment's address wherever the one it was built with stands: servers, and links in examples. */
function documentFor(origin: string): z.infer<typeof Document> {
  const text = gunzipSync(Buffer.from(BUILT_OPENAPI, 'base64')).toString();
  const [{ url }] = Built.parse(JSON.parse(text)).servers;
  return Document.parse(JSON.parse(text.replaceAll(new URL(url).origin, origin)));
}

export const handler = endpoint({
  operationId: 'getOpenapi',
  route: 'GET /docs/openapi.json',
  permission: 'public',
  access: { table: 'none', artifacts: 'none' },
  summary: 'This description, OpenAPI 3.1',
  response: Document,
  handle: (_request, { origin }) => documentFor(origin),
});
