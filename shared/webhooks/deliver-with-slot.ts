/** §6 Delivers if organization and receiver have a free slot. Otherwise the job returns to the queue with a short delay. */
import type * as z from 'zod';
import type { CallSlots, Caps } from '#shared/fair-shares/call-slots.ts';
import { Rounds, withSlot } from '#shared/fair-shares/with-slot.ts';
import { DeliveryJobSchema } from '#shared/sending/delivery-job-wire.ts';
import { deliver, type WebhookSender } from './deliver.ts';
import { WEBHOOK_LIMITS } from './limits.ts';

export const WEBHOOK_CAPS: Caps = { ...WEBHOOK_LIMITS.sending, work: 'webhooks' };

export const QueuedJob = DeliveryJobSchema.extend({ rounds: Rounds });

/** A job that returns to the queue is not an attempt, because nothing was sent. */
export const deliverWithSlot = (
  job: z.output<typeof QueuedJob>,
  sender: WebhookSender & { readonly slots: CallSlots },
): Promise<readonly object[]> => withSlot(sender, job, job, () => deliver(job, sender));
