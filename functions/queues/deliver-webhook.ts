import { GatheredMessages } from '#shared/engine/outbox/gathered-messages.ts';
import { CallSlotsByCall } from '#shared/fair-shares/call-slots.ts';
import { callSlots } from '#shared/model/call-slots.ts';
import { dueDeliveries } from '#shared/model/due.ts';
import { deliveries } from '#shared/model/events/delivery.ts';
import { webhooks } from '#shared/model/events/webhook.ts';
import { activeOrganizations } from '#shared/model/organizations/active-organizations.ts';
import { adminNews } from '#shared/model/organizations/admin-news.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { connectCallShare, connectDeliveryQueue } from '#shared/platform/connect.ts';
import { consumer } from '#shared/platform/consumer.ts';
import { Connections } from '#shared/sending/connections.ts';
import { deliverWithSlot, QueuedJob, WEBHOOK_CAPS } from '#shared/webhooks/deliver-with-slot.ts';

const queue = new GatheredMessages(connectDeliveryQueue());
const connections = new Connections();
const slots = new CallSlotsByCall(WEBHOOK_CAPS, connectCallShare());

export const handler = consumer({
  name: 'deliverWebhook',
  source: 'delivery',
  access: {
    table: 'readWrite',
    reads: [activeOrganizations],
    writes: [adminNews, auditRecords, webhooks, deliveries, dueDeliveries, callSlots],
    artifacts: 'none',
  },
  sends: ['deliveryQueue'],
  summary: 'Sends one delivery attempt and schedules the next one if it fails',
  maxReceiveCount: 5,
  // An attempt takes at most 10 seconds. The attempts of one invocation run concurrently, so a slow receiver does not
  // delay the attempts to other receivers.
  timeoutSeconds: 30,
  messagesPerCall: 10,
  concurrently: true,
  metrics: ['delivered', 'failed', 'exhausted', 'disabled', 'deferred', 'rounds'],
  message: QueuedJob,
  handle: (job, services, call) => deliverWithSlot(job, { ...services, queue, connections, slots: slots.of(call) }),
});
