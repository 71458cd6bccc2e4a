/** §6 Delivers if organization and receiver have a free slot. Otherwise the job returns to the queue with a short delay. */
import * as z from 'zod';
import type { DeliveryJob } from '#shared/model/outbox-content.ts';
import type { CallSlots } from './call-slots.ts';
import { deliver, type Sender } from './deliver.ts';
import { WEBHOOK_LIMITS } from './limits.ts';
import { DeliveryJobSchema } from './message-wire.ts';
import type { JobServices } from './run-job.ts';

export const QueuedJob = DeliveryJobSchema.extend({
  /** How many times the job returned to the queue because no slot was free. */
  rounds: z.int().nonnegative().default(0),
});

/** Delivers to a webhook. */
export const deliverWithSlot = (
  job: z.output<typeof QueuedJob>,
  sender: Sender & { readonly slots: CallSlots },
): Promise<readonly object[]> => withSlot(job, sender, (one) => deliver(one, sender));

/** A job that returns to the queue counts as no attempt: nothing was sent. */
export async function withSlot(
  { rounds, ...job }: z.output<typeof QueuedJob>,
  services: JobServices & { readonly slots: CallSlots },
  run: (job: DeliveryJob) => Promise<readonly object[]>,
): Promise<readonly object[]> {
  const notes = await services.slots.withSlot(services, job, () => run(job));
  if (notes) return notes;
  await services.queue.send([{ message: { ...job, rounds: rounds + 1 }, delaySeconds: waitFor(rounds) }]);
  return [{ ...job, outcome: 'deferred', deferred: 1 }];
}

/** Exponential backoff with jitter: a long queue of one organization stays cheap and does not return all at once. */
function waitFor(rounds: number): number {
  const { overCapSeconds } = WEBHOOK_LIMITS.sending;
  const longest = overCapSeconds[Math.min(rounds, overCapSeconds.length - 1)] ?? 1;
  return 1 + Math.floor(Math.random() * longest);
}
