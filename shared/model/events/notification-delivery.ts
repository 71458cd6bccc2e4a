/**
 * One message of a notification about one run, with its delivery attempts. Access patterns: by id; all deliveries of a
 * notification, newest first.
 */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, digest, instantKey, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';
import { type DeliveryKey, type DeliveryState, endOf } from './delivery.ts';
import type { GroupEvent } from './domain-event.ts';
import type { ReceiverKey } from './receiver.ts';

export interface NotificationDelivery extends DeliveryState {
  readonly event: GroupEvent['type'] | 'Test';
  /** The group whose event created the delivery. Events of other groups of the same run create no further delivery. */
  readonly groupId: string | null;
}

const partition = ({ organizationId, hookId }: ReceiverKey) => composed('NOTIFICATION', organizationId, hookId);

export const notificationDeliveries: Entity<DeliveryKey, NotificationDelivery> = {
  type: 'delivery of a notification',
  guarded: false,
  removal: 'apart',
  patterns: [
    {
      question: 'A delivery by notification and id',
      key: 'pk = NOTIFICATION#org#notification, sk = DELIVERY#delivery',
    },
    {
      question: 'Deliveries of a notification, newest first',
      key: 'pk = NOTIFICATION#org#notification, sk begins with DELIVERY#',
    },
  ],
  key: (delivery) => ({ pk: partition(delivery), sk: composed('DELIVERY', delivery.deliveryId) }),
  store: attributesOf,
  load: stored,
};

export const notificationDeliveriesSpan = (of: ReceiverKey) => beginningWith(partition(of), prefix('DELIVERY'));

const OWN_CHARACTERS = 24;

/**
 * The id of a delivery. A run has at most one delivery for its start and one for its end, no matter how many groups it
 * has. Duplicates of an event get the same id.
 */
export const notificationDeliveryIdOf = (hookId: string, event: GroupEvent): string => {
  const { type, runId, runCreatedAt, occurredAt } = event;
  const isStart = type === 'RunStarted';
  const at = instantKey(isStart ? runCreatedAt : occurredAt);
  // The digit makes the end of a run sort after its start, even if both happen within one millisecond.
  return `msg_${at}${isStart ? 0 : 1}${digest(OWN_CHARACTERS, hookId, runId, String(runCreatedAt), type, ...endOf(event))}`;
};
