/** One message of a notification about one run, with its attempts. Access patterns: by id; newest first by notification. */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, digest, instantKey, prefix } from '#shared/engine/table/keys.ts';
import { stored } from '#shared/engine/table/stored.ts';
import type { DeliveryKey, DeliveryState } from './delivery.ts';
import type { GroupEvent } from './domain-event.ts';

export interface NotificationDelivery extends DeliveryState {
  readonly event: GroupEvent['type'] | 'Test';
  /** The group whose event created the delivery. The events of other groups of the run create none. */
  readonly groupId: string | null;
}

const partition = ({ organizationId, hookId }: Pick<NotificationDelivery, 'organizationId' | 'hookId'>) =>
  composed('NOTIFICATION', organizationId, hookId);

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
  store: (delivery) => ({ ...delivery }),
  load: (row) => stored<NotificationDelivery>(row),
};

export const notificationDeliveriesSpan = (of: Pick<NotificationDelivery, 'organizationId' | 'hookId'>) =>
  beginningWith(partition(of), prefix('DELIVERY'));

const OWN_CHARACTERS = 24;

/**
 * The id of a delivery: one for the start of a run, and one for its end, however many groups it has. Duplicates get the
 * same id.
 */
export const notificationDeliveryIdOf = (hookId: string, event: GroupEvent): string => {
  const { type, runId, runCreatedAt, occurredAt } = event;
  const isStart = type === 'RunStarted';
  const at = instantKey(isStart ? runCreatedAt : occurredAt);
  // The end follows the start in the list, also within one millisecond.
  return `msg_${at}${isStart ? 0 : 1}${digest(OWN_CHARACTERS, hookId, runId, String(runCreatedAt), type)}`;
};
