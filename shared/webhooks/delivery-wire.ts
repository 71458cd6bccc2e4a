/** §6 A delivery in the API: the request body and each attempt. */
import * as z from 'zod';
import { dateTime, formatIsoTime } from '#shared/engine/http/date-time.ts';
import type { Delivery } from '#shared/model/events/delivery.ts';
import { RunEventName } from '#shared/model/events/run-event.ts';

const nullable = z.string().nullable();

const Attempt = z
  .object({
    at: dateTime,
    statusCode: z.int().nullable().meta({ description: 'Status of the answer. Null if the receiver did not answer' }),
    latencyMs: z.int(),
    error: nullable.meta({ description: 'Why the attempt failed. Null if it succeeded' }),
    answer: nullable.meta({ description: 'The beginning of the answer body. Untrusted: it comes from the receiver' }),
  })
  .meta({ id: 'DeliveryAttempt' });

export const DeliveryWire = z
  .object({
    deliveryId: z.string().meta({ description: 'The `webhook-id` header of every attempt' }),
    hookId: z.string(),
    event: RunEventName,
    test: z.boolean().meta({ description: 'True for a test event, which belongs to no run' }),
    runId: nullable,
    groupId: nullable,
    status: z.enum(['pending', 'delivered', 'exhausted', 'dropped']),
    attempts: z.array(Attempt).meta({ description: 'The latest attempts, oldest first' }),
    attemptsMade: z.int(),
    nextAttemptAt: dateTime.nullable(),
    createdAt: dateTime,
    body: z.string().meta({ description: 'The exact request body' }),
  })
  .meta({ id: 'Delivery' });

export const presentDelivery = (delivery: Delivery): z.infer<typeof DeliveryWire> => ({
  deliveryId: delivery.deliveryId,
  hookId: delivery.hookId,
  event: delivery.event,
  test: delivery.test,
  runId: delivery.runId,
  groupId: delivery.groupId,
  status: delivery.status,
  attempts: delivery.attempts.map((attempt) => ({ ...attempt, at: formatIsoTime(attempt.at) })),
  attemptsMade: delivery.attemptsMade,
  nextAttemptAt: delivery.nextAttemptAt === undefined ? null : formatIsoTime(delivery.nextAttemptAt),
  createdAt: formatIsoTime(delivery.createdAt),
  body: delivery.body,
});
