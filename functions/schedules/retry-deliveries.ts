import { retryAll } from '#shared/events/retry-deliveries.ts';
import { dueDeliveries, dueNotices } from '#shared/model/due.ts';
import { connectDeliveryQueue, connectNoticeQueue } from '#shared/platform/connect.ts';
import { schedule } from '#shared/platform/schedule.ts';

const queue = connectDeliveryQueue();
const notices = connectNoticeQueue();

export const handler = schedule({
  name: 'retryDeliveries',
  expression: 'rate(1 minute)',
  access: { table: 'readWrite', reads: [], writes: [dueDeliveries, dueNotices], artifacts: 'none' },
  sends: ['deliveryQueue', 'noticeQueue'],
  summary: 'Queues attempts of webhooks and notices that are due',
  timeoutSeconds: 50,
  retrySeconds: 60,
  metrics: ['due', 'failed', 'lateSeconds'],
  handle: (services, run) => retryAll({ ...services, queue: queue(), notices: notices() }, run),
});
