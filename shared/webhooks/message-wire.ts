/** §6 The messages of the fan-out queue and the delivery queue. */
import * as z from 'zod';
import { GroupEvent } from '#shared/model/domain-event.ts';
import { FormerRunEvent, fromFormer } from '#shared/model/former-run-event.ts';

export const DeliveryJobSchema = z.object({
  organizationId: z.string(),
  hookId: z.string(),
  deliveryId: z.string(),
  attempt: z.int().nonnegative(),
});

/** Accepts messages that an earlier version published. */
export const FanOutMessage = z.union([GroupEvent, FormerRunEvent.transform(fromFormer)]);
