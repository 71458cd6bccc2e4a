/** §6 Tries a webhook by hand. */
import type * as z from 'zod';
import { webhookDisabled } from '../errors.ts';
import { webhooks } from '../resources/webhook.ts';
import type { Administration, Services } from '../services.ts';
import { check } from '../table/writes.ts';
import { changeWebhook, ENABLED, type Of } from './change-webhook.ts';
import { type Delivery, presentDelivery } from './delivery-wire.ts';
import { testEvent } from './test-event.ts';

export function sendTest(
  services: Administration & Pick<Services, 'origin'>,
  of: Of,
): Promise<z.infer<typeof Delivery>> {
  return changeWebhook(services, of, (webhook) => {
    if (webhook.disabled) throw webhookDisabled();
    const { delivery, writes } = testEvent(services, webhook);
    return { result: presentDelivery(delivery), writes: [check(webhooks, webhook, ENABLED), ...writes] };
  });
}
