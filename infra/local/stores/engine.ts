/** A store that runs on this machine. */
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { bind, closeServer, getPort, LOOPBACK } from '#infra/local/host/loopback.ts';

export interface Engine {
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Serves an engine on a free port. */
export async function serveEngine(handler: RequestListener): Promise<Engine> {
  const server = createServer(handler);
  await bind(server, 0);
  return { endpoint: `http://${LOOPBACK}:${getPort(server)}`, close: () => closeServer(server) };
}

export type JsonAnswer = readonly [status: number, body: object];

/** `answer` gets an operation such as `AWSEvents.PutEvents`. `toFailure` turns its errors into responses. */
export const serveJsonEngine = (
  answer: (target: string, body: string, headers: IncomingHttpHeaders) => Promise<JsonAnswer>,
  toFailure: (error: unknown) => JsonAnswer,
): Promise<Engine> =>
  serveEngine(async (request, response) => {
    const { headers } = request;
    const [status, body] = await text(request)
      .then((requestBody) => answer(String(headers['x-amz-target']), requestBody, headers))
      .catch(toFailure);
    response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
  });
