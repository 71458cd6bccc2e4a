/** §6 A webhook with a signing secret, and what its receiver got: who waits is told when it arrives. */
import { EventEmitter, once } from 'node:events';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import * as z from 'zod';
import { answering, type Received, receiver } from '#test/harness/receiver.ts';
import type { Recorder } from '#test/harness/recording.ts';

/** Well below the minute after which a sweep would help: nothing on the way may need one. */
const ARRIVAL_MILLISECONDS = 30_000;

const Created = z.object({ hookId: z.string(), signingSecret: z.string() });
const Told = z.object({ event: z.string(), buildId: z.string(), groupId: z.string() });

export interface Inbox {
  readonly hookId: string;
  /** Of everything that came, duplicates too: `build-1 RUN_START retail` */
  readonly names: () => string[];
  /** Throws when they do not arrive, naming what is missing. */
  readonly arrived: (names: readonly string[]) => Promise<void>;
  /** What came under each name: how many ids and bodies that differ. */
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
      const { event, buildId, groupId } = Told.parse(verifiedBy(verifier, received));
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
          throw new Error(`After ${ARRIVAL_MILLISECONDS / 1000} seconds there is no ${missing().join(', ')}`);
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
  if (!verifier) throw new Error('Something was sent to a webhook before it was there');
  const headers = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, header(name) ?? '']);
  return verifier.verify(body, Object.fromEntries(headers));
}
