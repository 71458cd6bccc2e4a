/** One message of a notification about one run, with its delivery attempts. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, computeDigest, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import { type DeliveryKey, type DeliveryState, listEndParts } from './delivery.ts';
import type { GroupEvent } from './domain-event.ts';
import type { ReceiverKey } from './receiver.ts';

export interface NotificationDelivery extends DeliveryState {
  readonly event: GroupEvent['type'] | 'Test';
  /** The group whose event created the delivery. Events of other groups of the same run create no further delivery. */
  readonly groupId: string | null;
}

const getPartition = ({ organizationId, hookId }: ReceiverKey) => composeKey('NOTIFICATION', organizationId, hookId);

export const notificationDeliveries: Entity<DeliveryKey, NotificationDelivery> = {
  type: 'delivery of a notification',
  guarded: false,
  removal: 'apart',
  patterns: [
    { question: 'A delivery by notification and id', of: { hookId: 'notification' } },
    { question: 'Deliveries of a notification, newest first', of: { hookId: 'notification' }, begins: 'DELIVERY#' },
  ],
  key: (delivery) => ({ pk: getPartition(delivery), sk: composeKey('DELIVERY', delivery.deliveryId) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getNotificationDeliveriesSpan = (receiver: ReceiverKey) =>
  getPrefixSpan(getPartition(receiver), composePrefix('DELIVERY'));

const DIGEST_CHARACTERS = 24;

/** A run has at most one delivery for its start and one for its end. Duplicates of an event get the same id. */
export const deriveNotificationDeliveryId = (hookId: string, event: GroupEvent): string => {
  const { type, runId, runCreatedAt, occurredAt } = event;
  const isStart = type === 'RunStarted';
  const at = encodeInstant(isStart ? runCreatedAt : occurredAt);
  // The digit makes the end of a run sort after its start, even if both happen within one millisecond.
  return `msg_${at}${isStart ? 0 : 1}${computeDigest(DIGEST_CHARACTERS, hookId, runId, String(runCreatedAt), type, ...listEndParts(event))}`;
};
