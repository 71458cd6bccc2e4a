/** §6 A delivery as callers see it: what was sent, and how each attempt went. */
import * as z from 'zod';
import type { Delivery as Stored } from '../resources/delivery.ts';
import { RunEventName } from '../resources/run-event.ts';
import { iso } from './webhook-wire.ts';

const dateTime = z.string().meta({ format: 'date-time' });
const nullable = z.string().nullable();

const Attempt = z
  .object({
    at: dateTime,
    statusCode: z.int().nullable().meta({ description: 'Null where no answer came' }),
    latencyMs: z.int(),
    error: nullable.meta({ description: 'Why it failed; null for a success' }),
    answer: nullable.meta({ description: 'How the body of the answer begins. From the receiver: do not trust it' }),
  })
  .meta({ id: 'DeliveryAttempt' });

export const Delivery = z
  .object({
    deliveryId: z.string().meta({ description: 'The `webhook-id` of every attempt' }),
    hookId: z.string(),
    event: RunEventName,
    test: z.boolean().meta({ description: 'Made to try the receiver: no run happened' }),
    runId: nullable,
    groupId: nullable,
    status: z.enum(['pending', 'delivered', 'exhausted', 'dropped']),
    attempts: z.array(Attempt).meta({ description: 'The last ones, oldest first' }),
    attemptsMade: z.int(),
    nextAttemptAt: dateTime.nullable(),
    createdAt: dateTime,
    body: z.string().meta({ description: 'Exactly what is sent' }),
  })
  .meta({ id: 'Delivery' });

export const presentDelivery = (delivery: Stored): z.infer<typeof Delivery> => ({
  deliveryId: delivery.deliveryId,
  hookId: delivery.hookId,
  event: delivery.event,
  test: delivery.test,
  runId: delivery.runId,
  groupId: delivery.groupId,
  status: delivery.status,
  attempts: delivery.attempts.map((attempt) => ({ ...attempt, at: iso(attempt.at) })),
  attemptsMade: delivery.attemptsMade,
  nextAttemptAt: delivery.nextAttemptAt === undefined ? null : iso(delivery.nextAttemptAt),
  createdAt: iso(delivery.createdAt),
  body: delivery.body,
});
