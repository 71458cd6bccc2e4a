/** A receiver of webhooks on this machine. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { bind, getPort, LOOPBACK } from '#infra/local/host/loopback.ts';

export interface TestReceiver {
  readonly url: string;
  readonly received: { readonly headers: Record<string, string>; readonly body: string }[];
  readonly close: () => void;
}

export async function startReceiver(): Promise<TestReceiver> {
  const requests: { headers: Record<string, string>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    requests.push({ headers: Object.fromEntries(headers), body: await text(request) });
    response.writeHead(204).end();
  });
  await bind(server, 0);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://${LOOPBACK}:${getPort(server)}/hook`, received: requests, close };
}
