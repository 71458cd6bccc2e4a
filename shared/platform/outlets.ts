/** The queues of the service, and where functions may send messages. */

/** What the messages of a queue are about. They come from S3, from a rule of the event bus, or from this service. */
export type MessageSource = 'artifactUploaded' | 'reportUploaded' | 'runEvent' | 'runEnd' | 'delivery' | 'notification';

/** §6 Where a function may send messages. Its role and environment derive from it. */
export type Outlet = 'eventBus' | keyof typeof QUEUE_OUTLETS;

/** The queues that functions may send to, and what their messages are about. */
export const QUEUE_OUTLETS = {
  deliveryQueue: 'delivery',
  notificationQueue: 'notification',
  fileQueue: 'artifactUploaded',
  reportQueue: 'reportUploaded',
} as const satisfies Record<string, MessageSource>;
