/** A webhook receiver for the events of the deployment. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import * as z from 'zod';
import type { Account } from './recording.ts';

const SECONDS = 90;

const Created = z.object({ data: z.object({ hookId: z.string(), signingSecret: z.string() }) });
const Event = z.looseObject({ event: z.string(), buildId: z.string() });

export interface Receiver {
  readonly url: string;
  readonly received: { readonly headers: Record<string, string>; readonly body: string }[];
  readonly close: () => void;
}

export async function startReceiver(): Promise<Receiver> {
  const received: { headers: Record<string, string>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    received.push({ headers: Object.fromEntries(headers), body: await text(request) });
    response.writeHead(204).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The receiver listens nowhere');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${address.port}/hook`, received, close };
}

/** Creates the webhook and returns its signing secret. */
export async function subscribe(baseUrl: string, account: Account, url: string): Promise<string> {
  const response = await fetch(`${baseUrl}/webhooks?projectId=${account.projectId}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.recordKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, signed: true }),
  });
  const answer = await response.text();
  assert.equal(response.status, 201, `POST /webhooks: ${answer}`);
  return Created.parse(JSON.parse(answer)).data.signingSecret;
}

/** Time limit for the event through stream, bus, two queues and three functions with cold starts. */
export async function heard({ received }: Receiver, secret: string, ciBuildId: string, event: string): Promise<void> {
  const deadline = Date.now() + SECONDS * 1000;
  const eventsOf = () =>
    received
      .map(({ headers, body }) => Event.parse(new Webhook(secret).verify(body, headers)))
      .filter(({ buildId }) => buildId === ciBuildId);
  while (!eventsOf().some((one) => one.event === event) && Date.now() < deadline) await wait(200);
  const events = eventsOf().map((one) => one.event);
  assert.ok(events.includes(event), `The receiver was not told of ${event} in ${SECONDS} s, only of [${events}]`);
}
