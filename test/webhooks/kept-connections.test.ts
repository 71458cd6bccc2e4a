import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { LookupFunction } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { getPort } from '#infra/local/host/loopback.ts';
import { Connections } from '#shared/sending/connections.ts';
import type { SendOutcome } from '#shared/sending/delivery-channel.ts';
import { RefusedAddress } from '#shared/sending/guarded-lookup.ts';
import { SENDING_LIMITS } from '#shared/sending/limits.ts';
import type { PrivateReceivers } from '#shared/services.ts';
import { sendToWebhook } from '#shared/webhooks/send-to-webhook.ts';
import { stage } from './stage.ts';

const { webhooks, longestMilliseconds } = SENDING_LIMITS.keptConnections;
const TLS = join(import.meta.dirname, '../samples/tls');
const HERE: LookupFunction = (_, { all }, answer) =>
  all ? answer(null, [{ address: '127.0.0.1', family: 4 }]) : answer(null, '127.0.0.1', 4);

/** `nth` is the number of the request on its connection, counted from 1. */
type Reply = (response: ServerResponse, request: IncomingMessage, nth: number) => unknown;
const ok = (response: ServerResponse) => response.writeHead(204).end();

/** Starts a receiver that records on which connection each request arrives. Connections are counted from 0. */
async function receiver(reply: Reply = ok, tls?: { readonly key: string; readonly cert: string }) {
  const over: number[] = [];
  const sockets: unknown[] = [];
  let open = 0;
  let resumed = 0;
  const listener: RequestListener = (request, response) => {
    const connection = sockets.indexOf(request.socket);
    over.push(connection);
    const nth = over.filter((one) => one === connection).length;
    request.resume().on('end', () => reply(response, request, nth));
  };
  const server = tls ? createSecureServer(tls, listener) : createServer(listener);
  // Keeps the receiver from closing idle connections itself.
  server.keepAliveTimeout = 0;
  server.on(tls ? 'secureConnection' : 'connection', (socket) => {
    if ('isSessionReused' in socket && socket.isSessionReused()) resumed += 1;
    sockets.push(socket);
    open += 1;
    socket.on('close', () => {
      open -= 1;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: getPort(server), over, open: () => open, resumed: () => resumed };
}

interface To {
  readonly port: number;
  readonly host?: string;
  readonly webhook?: string | undefined;
  readonly now?: number;
  readonly privateReceivers?: PrivateReceivers;
}

const postOver =
  (connections: Connections) =>
  ({ port, host, webhook = 'hook-1', now = Date.now(), privateReceivers = 'machine' }: To): Promise<SendOutcome> => {
    const url = host === undefined ? `http://127.0.0.1:${port}/` : `https://${host}:${port}/`;
    const transport = { now: () => now, privateReceivers, lookup: HERE, kept: connections.of(webhook, now) };
    return sendToWebhook({ id: 'msg_1', url, headers: null, secrets: [], body: '{}' }, transport);
  };

describe('a keep-alive connection', () => {
  test('serves the next delivery to the same webhook', async () => {
    const { port, over } = await receiver();
    const post = postOver(new Connections());
    for (let delivery = 0; delivery < 3; delivery += 1) expect((await post({ port })).outcome).toBe('delivered');
    expect(over).toEqual([0, 0, 0]);
  });

  test('is reused by the delivery function', async () => {
    const here = await stage();
    const { port, over } = await receiver();
    const webhook = await here.webhook({ url: `http://127.0.0.1:${port}/` });
    const sender = { ...here.services, connections: new Connections() };
    for (const _ of [1, 2]) await here.attempt(await here.delivery(webhook), sender);
    expect(over).toEqual([0, 0]);
  });

  test('is not shared by two webhooks, so an unsolicited response reaches no other webhook', async () => {
    const { port, over } = await receiver();
    const post = postOver(new Connections());
    for (const webhook of ['hook-1', 'hook-2', 'hook-1', 'hook-2']) await post({ port, webhook });
    expect(over).toEqual([0, 1, 0, 1]);
  });

  test('A keep-alive connection that the receiver has closed uses up no attempt, because the delivery opens a new connection', async () => {
    const { port, over } = await receiver((response, { socket }, nth) =>
      (nth === 1 ? ok : () => socket.destroy())(response),
    );
    const post = postOver(new Connections());
    await post({ port });
    expect(await post({ port })).toMatchObject({ outcome: 'delivered', attempt: { statusCode: 204, error: null } });
    expect(over).toEqual([0, 0, 1]);
  });

  test('is replaced only once if the receiver closes every connection', async () => {
    let isDown = false;
    const { port, over } = await receiver((response, { socket }) => (isDown ? socket.destroy() : ok(response)));
    const post = postOver(new Connections());
    await post({ port });
    isDown = true;
    expect(await post({ port })).toMatchObject({ outcome: 'failed', attempt: { statusCode: null } });
    expect(over).toEqual([0, 0, 1]);
  });

  test('closes after a short idle time', async () => {
    const { port, open } = await receiver();
    await postOver(new Connections())({ port });
    expect(open()).toBe(1);
    await expect.poll(open).toBe(0);
  });

  test('is not reused after its maximum lifetime even if it was just used, because the host name may resolve elsewhere by then', async () => {
    const { port, over } = await receiver();
    const post = postOver(new Connections());
    const now = Date.now();
    for (const later of [0, longestMilliseconds - 1, longestMilliseconds]) await post({ port, now: now + later });
    expect(over).toEqual([0, 0, 1]);
  });

  test('is closed if the limit of webhooks with connections is exceeded and its webhook is the least recently used', async () => {
    const { port, over, open } = await receiver();
    const post = postOver(new Connections());
    const names = Array.from({ length: webhooks + 1 }, (_, place) => `hook-${place}`);
    for (const webhook of names.slice(0, webhooks)) await post({ port, webhook });
    await post({ port, webhook: 'hook-0' });
    await post({ port, webhook: names[webhooks] });
    await expect.poll(open).toBe(webhooks);
    await post({ port, webhook: 'hook-0' });
    await post({ port, webhook: 'hook-1' });
    expect(over.slice(webhooks)).toEqual([0, webhooks, 0, webhooks + 1]);
  });
});

describe('a keep-alive connection over TLS', () => {
  const trusted = async () => {
    const [key = '', cert = ''] = await Promise.all(
      ['key.pem', 'certificate.pem'].map((name) => readFile(join(TLS, name), 'utf8')),
    );
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, cert]);
    onTestFinished(() => setDefaultCACertificates(before));
    return receiver(ok, { key, cert });
  };

  test('A keep-alive connection is checked again before it is reused, so nothing is sent to an address that is no longer allowed', async () => {
    const { port, over } = await trusted();
    const post = postOver(new Connections());
    expect((await post({ port, host: 'receiver.example' })).outcome).toBe('delivered');
    const { outcome, attempt } = await post({ port, host: 'receiver.example', privateReceivers: 'none' });
    expect({ outcome, error: attempt.error }).toEqual({ outcome: 'failed', error: new RefusedAddress().message });
    expect(over).toEqual([0]);
  });

  test('Each new TLS connection verifies the certificate again, because no TLS session is resumed', async () => {
    const { port, over, resumed } = await trusted();
    const post = () => postTo({ port, host: 'receiver.example' });
    const postTo = postOver(new Connections());
    await post();
    await Promise.all([post(), post(), post()]);
    expect(new Set(over).size).toBe(3);
    expect(resumed()).toBe(0);
  });

  test('A keep-alive connection is used only for host names of its verified certificate', async () => {
    const { port, over } = await trusted();
    const post = postOver(new Connections());
    for (const time of [0, longestMilliseconds / 2]) {
      expect((await post({ port, host: 'receiver.example', now: time })).outcome).toBe('delivered');
      const { attempt } = await post({ port, host: 'other.example', now: time });
      expect(attempt.error).toBe('The connection failed (ERR_TLS_CERT_ALTNAME_INVALID)');
    }
    expect(over).toEqual([0, 0]);
  });
});
