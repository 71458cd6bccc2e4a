/** §6 A test event for one webhook, delivered like a real event. Its values show that it is a test. */

import type * as z from 'zod';
import { ABSENT, check, put, type Write } from '#shared/engine/table/writes.ts';
import { type Delivery, deliveries } from '#shared/model/events/delivery.ts';
import { type Webhook, webhooks } from '#shared/model/events/webhook.ts';
import { getRunUrl } from '#shared/model/runs/run-url.ts';
import { makeTestDelivery, planDeliveryJob } from '#shared/sending/queue-deliveries.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import type { WebhookBody } from './body-wire.ts';
import { changeWebhook, ENABLED, type WebhookRef } from './change-webhook.ts';
import { type DeliveryWire, presentDelivery } from './delivery-wire.ts';
import { webhookDisabled } from './errors.ts';
import { WEBHOOK_LIMITS } from './limits.ts';

/** The caller adds the condition that the webhook exists and is enabled. */
export function planTestEvent(
  services: CoreServices & Pick<Services, 'origin'>,
  webhook: Webhook,
): { readonly delivery: Delivery; readonly writes: readonly Write[] } {
  const payload = makeTestPayload(services, webhook);
  const delivery: Delivery = {
    ...makeTestDelivery(services, webhook, WEBHOOK_LIMITS.deliveryDays),
    event: payload.event,
    body: JSON.stringify(payload),
  };
  return { delivery, writes: [put(deliveries, delivery, ABSENT), planDeliveryJob(services, 'delivery', delivery)] };
}

/** Without commit, tests and status, so that automations find nothing to act on. */
function makeTestPayload({ origin }: Pick<Services, 'origin'>, webhook: Webhook): WebhookBody {
  const { hookEvents } = webhook;
  return {
    // Prefers an event that the receiver subscribes to.
    event: hookEvents.includes('RUN_FINISH') ? 'RUN_FINISH' : (hookEvents[0] ?? 'RUN_FINISH'),
    runUrl: getRunUrl(origin, { ...webhook, runId: TEST_BUILD }),
    buildId: TEST_BUILD,
    tags: [TEST_BUILD],
    commit: {
      sha: null,
      branch: null,
      authorName: null,
      authorEmail: null,
      message: 'Test event of this webhook. It belongs to no run.',
      remoteOrigin: null,
      defaultBranch: null,
    },
    overall: 0,
    passes: 0,
    failures: 0,
    pending: 0,
    skipped: 0,
    retries: 0,
    flaky: 0,
    runId: TEST_BUILD,
    projectId: webhook.projectId,
  };
}

const TEST_BUILD = 'webhook-test';

export function sendTestEvent(
  services: CoreServices & Pick<Services, 'origin'>,
  ref: WebhookRef,
): Promise<z.infer<typeof DeliveryWire>> {
  return changeWebhook(services, ref, (webhook) => {
    if (webhook.disabled) throw webhookDisabled();
    const { delivery, writes } = planTestEvent(services, webhook);
    return {
      result: presentDelivery(delivery),
      writes: [check(webhooks, webhook, ENABLED), ...writes],
      inProject: webhook,
      record: { action: 'webhook tested', detail: `project ${webhook.projectId}` },
    };
  });
}
