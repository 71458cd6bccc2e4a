/** The message queues of the service, and the destinations to which functions may send messages. */

/** The kind of messages in a queue. Messages are sent by S3, by a rule of the event bus, or by this service. */
export type MessageSource = 'artifactUploaded' | 'reportUploaded' | 'runEvent' | 'runEnd' | 'delivery' | 'notification';

/**
 * §6 A destination to which a function may send messages. The IAM role and the environment variables of the function
 * are derived from it.
 */
export type Outlet = 'eventBus' | keyof typeof QUEUE_OUTLETS;

/** The queues to which functions may send messages, and the kind of messages in each. */
export const QUEUE_OUTLETS = {
  deliveryQueue: 'delivery',
  notificationQueue: 'notification',
  fileQueue: 'artifactUploaded',
  reportQueue: 'reportUploaded',
} as const satisfies Record<string, MessageSource>;
