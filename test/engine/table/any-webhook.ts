/** Random table items for property tests: webhooks and deliveries. */
import fc from 'fast-check';
import type { Delivery } from '#shared/model/events/delivery.ts';
import { RUN_EVENTS } from '#shared/model/events/run-event.ts';
import type { Webhook } from '#shared/model/events/webhook.ts';
import { count, hex, owner, text, textOrNull, time, withSome } from './any-value.ts';

const ofWebhook = { ...owner, projectId: text, hookId: text };

export const listedWebhook = fc.record(ofWebhook);

export const webhook: fc.Arbitrary<Webhook> = withSome(
  fc.record({
    ...ofWebhook,
    url: text,
    headers: textOrNull,
    hookEvents: fc.subarray([...RUN_EVENTS]),
    label: textOrNull,
    createdAt: time,
    updatedAt: time,
    secrets: fc.array(withSome(fc.record({ value: text }), { expiresAt: time }), { maxLength: 3 }),
    failures: count,
  }),
  {
    disabled: fc.record({ at: time, reason: fc.constantFrom('gone', 'failing', 'byHand') }),
    failingSince: time,
    pausedUntil: time,
  },
);

const attempt = fc.record({
  at: time,
  latencyMs: count,
  statusCode: fc.option(fc.integer({ min: 100, max: 599 })),
  error: textOrNull,
  answer: textOrNull,
});

export const delivery: fc.Arbitrary<Delivery> = withSome(
  fc.record({
    ...ofWebhook,
    deliveryId: hex(33).map((id) => `msg_${id}`),
    event: fc.constantFrom(...RUN_EVENTS),
    test: fc.boolean(),
    runId: textOrNull,
    groupId: textOrNull,
    body: text,
    status: fc.constantFrom('pending', 'delivered', 'exhausted', 'dropped'),
    attemptsMade: count,
    retry: count,
    attempts: fc.array(attempt, { maxLength: 3 }),
    createdAt: time,
    // Later than the clock of any test, because readers ignore expired rows.
    expiresAt: fc.integer({ min: 2 ** 32, max: 2 ** 40 }),
  }),
  { nextAttemptAt: time },
);
