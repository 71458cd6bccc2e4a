import { deliveries } from '#shared/model/delivery.ts';
import { GroupEvent } from '#shared/model/domain-event.ts';
import { notices } from '#shared/model/notice.ts';
import { noticeDeliveries } from '#shared/model/notice-delivery.ts';
import { webhooks, webhooksOfProject } from '#shared/model/webhook.ts';
import { fanOutNotices } from '#shared/notices/fan-out-notices.ts';
import { connectDeliveryQueue, connectNoticeQueue } from '#shared/platform/connect.ts';
import { consumer } from '#shared/platform/consumer.ts';
import { fanOut } from '#shared/webhooks/fan-out.ts';

const queue = connectDeliveryQueue();
const noticeQueue = connectNoticeQueue();

export const handler = consumer({
  name: 'fanOutRunEvent',
  source: 'runEvent',
  access: {
    table: 'readWrite',
    reads: [webhooksOfProject, webhooks, notices],
    writes: [deliveries, noticeDeliveries],
    artifacts: 'none',
  },
  sends: ['deliveryQueue', 'noticeQueue'],
  summary: 'Creates one delivery per webhook and notice that tells about the event',
  maxReceiveCount: 5,
  timeoutSeconds: 30,
  messagesPerCall: 10,
  concurrently: true,
  message: GroupEvent,
  handle: async (event, services) => [
    ...(await fanOut(event, { ...services, queue: queue() })),
    ...(await fanOutNotices(event, { ...services, queue: noticeQueue() })),
  ],
});
