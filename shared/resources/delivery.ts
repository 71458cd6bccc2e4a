/**
 * One message to one webhook, and every attempt to deliver it. Its id is what receivers see as `webhook-id`, the same for
 * each attempt and each duplicate of the event. Asked for: by id; newest first by webhook.
 */
import { beginningWith, type Entity } from '../table/entity.ts';
import { composed, digest, instantKey, prefix } from '../table/keys.ts';
import { stored } from '../table/stored.ts';
import type { RunEvent, RunEventName } from './run-event.ts';

export interface DeliveryAttempt {
  /** Milliseconds. */
  readonly at: number;
  readonly latencyMs: number;
  /** `null` where no answer came. */
  readonly statusCode: number | null;
  /** Why it failed, in words; `null` for a success. */
  readonly error: string | null;
  /** The first bytes of the answer's body. */
  readonly answer: string | null;
}

export type DeliveryStatus =
  | 'pending'
  | 'delivered'
  /** Every attempt of the schedule failed. */
  | 'exhausted'
  /** The webhook was disabled or deleted before it could be delivered. */
  | 'dropped';

export interface Delivery {
  readonly organizationId: string;
  readonly projectId: string;
  readonly hookId: string;
  readonly deliveryId: string;
  readonly event: RunEventName;
  /** Made by hand to try the receiver. */
  readonly test: boolean;
  readonly runId: string | null;
  readonly groupId: string | null;
  /** The exact bytes of the request, as text. */
  readonly body: string;
  readonly status: DeliveryStatus;
  /** All of them; `attempts` keeps the last. */
  readonly attemptsMade: number;
  /** Position in the schedule of retries, which a redelivery by hand begins anew. */
  readonly retry: number;
  readonly attempts: readonly DeliveryAttempt[];
  /** Milliseconds. */
  readonly createdAt: number;
  readonly nextAttemptAt?: number;
  /** Seconds, for the table's time to live. */
  readonly expiresAt: number;
}

type DeliveryKey = Pick<Delivery, 'organizationId' | 'hookId' | 'deliveryId'>;

const partition = ({ organizationId, hookId }: Pick<Delivery, 'organizationId' | 'hookId'>) =>
  composed('WEBHOOK', organizationId, hookId);

export const deliveries: Entity<DeliveryKey, Delivery> = {
  type: 'delivery',
  patterns: [
    { question: 'A delivery by webhook and id', key: 'pk = WEBHOOK#org#hook, sk = DELIVERY#delivery' },
    { question: 'Deliveries of a webhook, newest first', key: 'pk = WEBHOOK#org#hook, sk begins with DELIVERY#' },
  ],
  key: (delivery) => ({ pk: partition(delivery), sk: composed('DELIVERY', delivery.deliveryId) }),
  store: (delivery) => ({ ...delivery }),
  load: (row) => stored<Delivery>(row),
};

export const deliveriesSpan = (of: Pick<Delivery, 'organizationId' | 'hookId'>) =>
  beginningWith(partition(of), prefix('DELIVERY'));

const OWN_CHARACTERS = 24;

/** Sorts by when it happened; the same for every duplicate of the event. */
export const deliveryIdOf = (hookId: string, { runId, runCreatedAt, group, occurredAt, payload }: RunEvent): string =>
  `msg_${instantKey(occurredAt)}${digest(OWN_CHARACTERS, hookId, runId, String(runCreatedAt), payload.event, group)}`;
