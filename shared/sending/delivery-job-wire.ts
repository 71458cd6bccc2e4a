/** §6 The messages of the delivery queue. */
import * as z from 'zod';

export const DeliveryJobSchema = z.object({
  organizationId: z.string(),
  hookId: z.string(),
  deliveryId: z.string(),
  attempt: z.int().nonnegative(),
  correlationId: z.string().optional(),
});
