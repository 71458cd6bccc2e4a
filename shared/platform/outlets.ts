/** The message queues of the service, and the destinations to which functions may send messages. */

/** The kind of messages in a queue. Messages are sent by S3, by a rule of the event bus, or by this service. */
export type MessageSource = 'artifactUploaded' | 'reportUploaded' | 'runEvent' | 'runEnd' | 'delivery' | 'notification';

/** §6 Where a function may send messages. Its IAM role and environment variables are derived from it. */
export type Outlet = 'eventBus' | keyof typeof QUEUE_OUTLETS;

/** With the kind of messages in each. */
export const QUEUE_OUTLETS = {
  deliveryQueue: 'delivery',
  notificationQueue: 'notification',
  fileQueue: 'artifactUploaded',
  reportQueue: 'reportUploaded',
} as const satisfies Record<string, MessageSource>;
