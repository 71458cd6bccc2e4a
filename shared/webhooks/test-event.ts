/** §6 An event that did not happen, sent to one webhook to try the receiver: the same way as any other, and marked in its values. */
import { runUrlOf } from '../events/payload.ts';
import { type Delivery, deliveries } from '../resources/delivery.ts';
import type { RunEventName, RunEventPayload } from '../resources/run-event.ts';
import type { Webhook } from '../resources/webhook.ts';
import type { Administration, Services } from '../services.ts';
import { instantKey } from '../table/keys.ts';
import { ABSENT, put, type Write } from '../table/writes.ts';
import { expiryOf, orderWrite } from './order.ts';

const ID_CHARACTERS = 24;

/** What is to be written for it, on condition that the webhook is there and enabled. */
export function testEvent(
  services: Administration & Pick<Services, 'origin'>,
  webhook: Webhook,
): { readonly delivery: Delivery; readonly writes: readonly Write[] } {
  const { organizationId, projectId, hookId } = webhook;
  const createdAt = services.now();
  const payload = testPayload(eventFor(webhook), services);
  const delivery: Delivery = {
    organizationId,
    projectId,
    hookId,
    deliveryId: `msg_${instantKey(createdAt)}${services.randomId(ID_CHARACTERS)}`,
    event: payload.event,
    test: true,
    runId: null,
    groupId: null,
    body: JSON.stringify(payload),
    status: 'pending',
    attemptsMade: 0,
    retry: 0,
    attempts: [],
    createdAt,
    expiresAt: expiryOf(createdAt),
  };
  return { delivery, writes: [put(deliveries, delivery, ABSENT), orderWrite(services, delivery)] };
}

/** One that the receiver expects. */
const eventFor = ({ hookEvents }: Webhook): RunEventName =>
  hookEvents.includes('RUN_FINISH') ? 'RUN_FINISH' : (hookEvents[0] ?? 'RUN_FINISH');

/** No commit and no tests: whoever acts on what failed, or on a branch, has nothing to act on. */
function testPayload(event: RunEventName, { origin }: Pick<Services, 'origin'>): RunEventPayload {
  return {
    event,
    runUrl: runUrlOf(origin, TEST_BUILD),
    buildId: TEST_BUILD,
    tags: [TEST_BUILD],
    commit: {
      sha: null,
      branch: null,
      authorName: null,
      authorEmail: null,
      message: 'A test of this webhook. No run happened.',
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
  };
}

const TEST_BUILD = 'webhook-test';
