/** The queues of the service, and the targets of messages that functions send. */

/** What the messages of a queue are about. S3, a rule of the event bus, or this service sends them. */
export type MessageSource = 'artifactUploaded' | 'reportUploaded' | 'runEvent' | 'runEnd' | 'delivery' | 'notification';

/** §6 A target of a function's messages. Role and environment derive from it. */
export type Outlet = 'eventBus' | keyof typeof QUEUE_OUTLETS;

/** The queues that functions send to, and what their messages are about. */
export const QUEUE_OUTLETS = {
  deliveryQueue: 'delivery',
  notificationQueue: 'notification',
  fileQueue: 'artifactUploaded',
  reportQueue: 'reportUploaded',
} as const satisfies Record<string, MessageSource>;
