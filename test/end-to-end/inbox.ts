/** §6 A signed webhook and the messages that its receiver got. Tests can wait for messages. */
import { EventEmitter, once } from 'node:events';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import * as z from 'zod';
import { answering, type Received, receiver } from '#test/harness/receiver.ts';
import type { Recorder } from '#test/harness/recording.ts';

/**
 * The maximum time that a message may take to arrive. This is shorter than the interval of the scheduled sweeps,
 * because delivery must not depend on them.
 */
const ARRIVAL_MILLISECONDS = 30_000;

const Created = z.object({ hookId: z.string(), signingSecret: z.string() });
const WebhookBody = z.object({ event: z.string(), buildId: z.string(), groupId: z.string() });

export interface Inbox {
  readonly hookId: string;
  /** The names of all messages, including duplicates, for example `build-1 RUN_START retail`. */
  readonly names: () => string[];
  /** Waits for these messages. Throws and lists the missing ones if they do not arrive in time. */
  readonly arrived: (names: readonly string[]) => Promise<void>;
  /** The distinct pairs of message id and body, by message name. */
  readonly variants: () => ReadonlyMap<string, ReadonlySet<string>>;
}

export async function inboxOf({ api, projectId }: Recorder): Promise<Inbox> {
  const came = new EventEmitter();
  const messages: { name: string; variant: string }[] = [];
  const faults: unknown[] = [];
  let verifier: Webhook | undefined;
  const answer = answering(204);
  const { url } = await receiver((response, received) => {
    try {
      const { event, buildId, groupId } = WebhookBody.parse(verifiedBy(verifier, received));
      messages.push({
        name: `${buildId} ${event} ${groupId}`,
        variant: `${received.header('webhook-id')} ${received.body}`,
      });
    } catch (error) {
      faults.push(error);
    }
    answer(response, received);
    came.emit('message');
  });
  const created = await api.post(`/webhooks?projectId=${projectId}`, { url, signed: true });
  expect(created).toMatchObject({ status: 201 });
  const { hookId, signingSecret } = Created.parse(created.body.data);
  verifier = new Webhook(signingSecret);
  const names = () => messages.map(({ name }) => name);
  return {
    hookId,
    names,
    arrived: async (wanted) => {
      const signal = AbortSignal.timeout(ARRIVAL_MILLISECONDS);
      const missing = () => wanted.filter((name) => !names().includes(name));
      while (missing().length > 0) {
        await once(came, 'message', { signal }).catch(() => {
          throw new Error(`Not received after ${ARRIVAL_MILLISECONDS / 1000} seconds: ${missing().join(', ')}`);
        });
        expect(faults).toEqual([]);
      }
    },
    variants: () => {
      expect(faults).toEqual([]);
      const variants = Map.groupBy(messages, ({ name }) => name);
      return new Map([...variants].map(([name, all]) => [name, new Set(all.map(({ variant }) => variant))]));
    },
  };
}

function verifiedBy(verifier: Webhook | undefined, { body, header }: Received): unknown {
  if (!verifier) throw new Error('A webhook message arrived before the webhook was created');
  const headers = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, header(name) ?? '']);
  return verifier.verify(body, Object.fromEntries(headers));
}
