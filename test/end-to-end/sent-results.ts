/**
 * A proxy between the published reporter and the service. It keeps track of the results that the reporter has sent.
 *
 * At the end of the suite, the reporter waits only for the messages that it has queued by then. On a busy machine, the
 * response to the creation of a test may arrive later. The update with the last attempt is then queued too late and is
 * never sent. So the sample suite waits until this proxy says that everything was sent.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { bind, getPort, LOCALHOST } from '#infra/local/host/loopback.ts';
import { forward } from '#test/harness/engine-proxy.ts';

const Message = z.object({ attempts: z.array(z.unknown()), _d: z.boolean() });
const Creation = Message.extend({ testId: z.string() });
const Created = z.object({ recordId: z.string() });
/** The number of attempts of each test, by test id. */
const Ended = z.record(z.string(), z.int());

const json = (body: Buffer): unknown => JSON.parse(body.toString());
const bodyOf = ({ headers }: IncomingMessage, body: Buffer): unknown =>
  json(headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);

class SentResults {
  readonly #testIds = new Map<string, string>();
  readonly #sent = new Map<string, number>();
  readonly #waiting = new Set<() => void>();

  take(recordId: string, message: unknown): void {
    const { attempts, _d: ended } = Message.parse(message);
    if (ended) this.#sent.set(this.#testIds.get(recordId) ?? '', attempts.length);
    for (const check of this.#waiting) check();
  }

  create(recordId: string, message: unknown): void {
    this.#testIds.set(recordId, Creation.parse(message).testId);
    this.take(recordId, message);
  }

  /** Resolves when the last attempt of each test has been sent. */
  async all(ended: z.output<typeof Ended>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => {
      if (Object.entries(ended).every(([testId, attempts]) => this.#sent.get(testId) === attempts)) resolve();
    };
    this.#waiting.add(check);
    check();
    await promise;
    this.#waiting.delete(check);
  }
}

/**
 * Starts the proxy and returns its address. The sample suite calls `SENT_URL`, which answers when all results have been
 * sent.
 */
export async function proxyOf(service: string): Promise<{ origin: string; env: { SENT_URL: string } }> {
  const results = new SentResults();
  const server = createServer((request, response) => {
    const pass = async () => {
      const body = await buffer(request);
      if (request.url === '/sent') {
        await results.all(Ended.parse(json(body)));
        response.end();
        return;
      }
      // The service answers only requests that name its own host.
      request.headers.host = new URL(service).host;
      const answer = await forward(service, request, body);
      const received = await buffer(answer);
      response.writeHead(answer.statusCode ?? 502, answer.headers).end(received);
      const [, resource, recordId] = (request.url ?? '').split('/');
      if (resource !== 'test-record' || answer.statusCode !== 200) return;
      if (recordId === undefined) results.create(Created.parse(json(received)).recordId, bodyOf(request, body));
      else results.take(recordId, bodyOf(request, body));
    };
    pass().catch(() => response.destroy());
  });
  await bind(server, 0);
  onTestFinished(() => void server.close());
  const origin = `http://${LOCALHOST}:${getPort(server)}`;
  return { origin, env: { SENT_URL: `${origin}/sent` } };
}
