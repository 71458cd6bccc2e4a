import { deliveries } from '#shared/model/events/delivery.ts';
import { GroupEvent } from '#shared/model/events/domain-event.ts';
import { notifications } from '#shared/model/events/notification.ts';
import { notificationDeliveries } from '#shared/model/events/notification-delivery.ts';
import { webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import { fanOutNotifications } from '#shared/notifications/fan-out-notifications.ts';
import { connectDeliveryQueue, connectNotificationQueue } from '#shared/platform/connect.ts';
import { consumer } from '#shared/platform/consumer.ts';
import { fanOutWebhooks } from '#shared/webhooks/fan-out.ts';

const queue = connectDeliveryQueue();
const notificationQueue = connectNotificationQueue();

export const handler = consumer({
  name: 'fanOutRunEvent',
  source: 'runEvent',
  access: {
    table: 'readWrite',
    reads: [webhooksOfProject, webhooks, notifications],
    writes: [deliveries, notificationDeliveries],
    artifacts: 'none',
  },
  sends: ['deliveryQueue', 'notificationQueue'],
  summary: 'Creates one delivery for each webhook and notification that wants the event',
  maxReceiveCount: 5,
  timeoutSeconds: 30,
  messagesPerCall: 10,
  concurrently: true,
  message: GroupEvent,
  handle: async (event, services) => [
    ...(await fanOutWebhooks(event, { ...services, queue: queue() })),
    ...(await fanOutNotifications(event, { ...services, queue: notificationQueue() })),
  ],
});
