/** §6 What the relay left behind: sent again, oldest first. */

import { type OutboxRow, outbox, outboxSpan } from '../resources/outbox.ts';
import type { Administration } from '../services.ts';
import { sweep } from '../sweep.ts';
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';
import { type Outward, relay } from './relay.ts';

export interface Resent {
  readonly resent: number;
  /** What stays, to be sent by the next run. */
  readonly failed: number;
  /** How old the oldest row was that the relay should have taken away. */
  readonly lateSeconds: number;
  readonly finished: boolean;
}

type Run = Parameters<typeof sweep>[1];

const leftBehind = {
  load: outbox.load,
  span: (shard: number, now: number) => outboxSpan(shard, now - WEBHOOK_LIMITS.resendAfterMilliseconds),
};

export async function resendOutbox(services: Administration & Outward, run: Run): Promise<Resent> {
  const { due, failed, lateSeconds, finished } = await sweep(services, run, leftBehind, {
    dueAt: ({ at }: OutboxRow) => at,
    handle: async (row) => void (await relay(services, row)),
  });
  return { resent: due - failed, failed, lateSeconds, finished };
}
