/** §6 Sends a test event to one webhook. */
import type * as z from 'zod';
import { check } from '#shared/engine/table/writes.ts';
import { webhooks } from '#shared/model/events/webhook.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import { changeWebhook, ENABLED, type WebhookRef } from './change-webhook.ts';
import { type DeliveryWire, presentDelivery } from './delivery-wire.ts';
import { webhookDisabled } from './errors.ts';
import { testEvent } from './test-event.ts';

export function sendTest(
  services: CoreServices & Pick<Services, 'origin'>,
  ref: WebhookRef,
): Promise<z.infer<typeof DeliveryWire>> {
  return changeWebhook(services, ref, (webhook) => {
    if (webhook.disabled) throw webhookDisabled();
    const { delivery, writes } = testEvent(services, webhook);
    return {
      result: presentDelivery(delivery),
      writes: [check(webhooks, webhook, ENABLED), ...writes],
      record: { action: 'webhook tested', detail: `project ${webhook.projectId}` },
    };
  });
}
