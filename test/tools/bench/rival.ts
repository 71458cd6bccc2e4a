/** The least an HTTP server in Node can do with the same requests: no gateway, no credential, no validation, no table. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { portOf } from '#infra/local/host/loopback.ts';

/** Answers GET with the document that was last PUT to `/page`, and everything else with a small one, once it is parsed. */
export async function startRival(): Promise<string> {
  let page: unknown = {};
  const server = createServer(async (request, response) => {
    const sent = request.method === 'GET' ? undefined : await documentOf(request);
    if (request.url === '/page') page = sent;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.method === 'GET' ? page : { status: 'OK' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${portOf(server)}`;
}

async function documentOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  return JSON.parse((request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString());
}
