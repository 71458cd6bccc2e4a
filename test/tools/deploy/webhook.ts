/** Subscribes to webhook events of the deployment, and waits for them. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import * as z from 'zod';
import type { TestReceiver } from '#infra/cli/verify/receiver.ts';
import type { Account } from './recording.ts';

const SECONDS = 90;

const Created = z.object({ data: z.object({ hookId: z.string(), signingSecret: z.string() }) });
const Event = z.looseObject({ event: z.string(), buildId: z.string() });

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

/**
 * Waits for the event. The event passes through the stream, the bus, two queues and three functions with cold starts.
 */
export async function heard(
  { received }: TestReceiver,
  secret: string,
  ciBuildId: string,
  event: string,
): Promise<void> {
  const deadline = Date.now() + SECONDS * 1000;
  const eventsOf = () =>
    received
      .map(({ headers, body }) => Event.parse(new Webhook(secret).verify(body, headers)))
      .filter(({ buildId }) => buildId === ciBuildId);
  while (!eventsOf().some((one) => one.event === event) && Date.now() < deadline) await wait(200);
  const events = eventsOf().map((one) => one.event);
  assert.ok(events.includes(event), `The receiver did not get ${event} within ${SECONDS} s, only [${events}]`);
}
