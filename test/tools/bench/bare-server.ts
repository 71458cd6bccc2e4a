/** A minimal HTTP server to which the service is compared. It has no gateway, credentials, validation or table. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { getPort } from '#infra/local/host/loopback.ts';

/**
 * Answers GET with the document that was last PUT to `/page`. Parses other bodies, and answers with a small document.
 */
export async function startBareServer(): Promise<string> {
  let page: unknown = {};
  const server = createServer(async (request, response) => {
    const sent = request.method === 'GET' ? undefined : await documentOf(request);
    if (request.url === '/page') page = sent;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.method === 'GET' ? page : { status: 'OK' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${getPort(server)}`;
}

async function documentOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  return JSON.parse((request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString());
}
