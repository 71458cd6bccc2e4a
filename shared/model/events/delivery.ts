/** A message to a webhook, with its attempts. All attempts and duplicates have one id, in the header `webhook-id`. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, computeDigest, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { GroupEvent } from './domain-event.ts';
import type { ReceiverKey } from './receiver.ts';
import type { RunEventName } from './run-event.ts';

export interface DeliveryAttempt {
  /** Time of the attempt, in epoch milliseconds. */
  readonly at: number;
  readonly latencyMs: number;
  /** The HTTP status code of the response, or `null` if the receiver did not respond. */
  readonly statusCode: number | null;
  /** Why the attempt failed. `null` if it succeeded. */
  readonly error: string | null;
  /** The first bytes of the response body. */
  readonly answer: string | null;
}

export type DeliveryStatus =
  | 'pending'
  | 'delivered'
  /** Every retry of the delivery failed. */
  | 'exhausted'
  /** Given up: the receiver was disabled or deleted, no retry could succeed, or the message was no longer needed. */
  | 'dropped';

export interface DeliveryState {
  readonly organizationId: string;
  readonly projectId: string;
  readonly hookId: string;
  readonly deliveryId: string;
  readonly event: string;
  /** Whether this delivery is for a test event. */
  readonly test: boolean;
  readonly runId: string | null;
  readonly status: DeliveryStatus;
  /** The total number of attempts. `attempts` contains only the latest attempts. */
  readonly attemptsMade: number;
  /** The number of retries so far. A redelivery resets it. */
  readonly retry: number;
  readonly attempts: readonly DeliveryAttempt[];
  /** Creation time, in epoch milliseconds. */
  readonly createdAt: number;
  readonly nextAttemptAt?: number;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

export interface Delivery extends DeliveryState {
  readonly event: RunEventName;
  readonly groupId: string | null;
  /** The exact request body. */
  readonly body: string;
}

export type DeliveryKey = ReceiverKey & Pick<DeliveryState, 'deliveryId'>;

const getPartition = ({ organizationId, hookId }: ReceiverKey) => composeKey('WEBHOOK', organizationId, hookId);

export const deliveries: Entity<DeliveryKey, Delivery> = {
  type: 'delivery',
  guarded: false,
  removal: 'apart',
  patterns: [
    { question: 'A delivery by webhook and id' },
    { question: 'Deliveries of a webhook, newest first', begins: 'DELIVERY#' },
  ],
  key: (delivery) => ({ pk: getPartition(delivery), sk: composeKey('DELIVERY', delivery.deliveryId) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getDeliveriesSpan = (receiver: ReceiverKey) =>
  getPrefixSpan(getPartition(receiver), composePrefix('DELIVERY'));

const DIGEST_CHARACTERS = 24;

/** The id of a delivery. Ids sort by the time of the event. Duplicates of an event get the same id. */
export const deriveDeliveryId = (hookId: string, about: GroupEvent, event: RunEventName): string => {
  const { runId, runCreatedAt, groupId, occurredAt } = about;
  const eventDigest = computeDigest(
    DIGEST_CHARACTERS,
    hookId,
    runId,
    String(runCreatedAt),
    event,
    groupId,
    ...listEndParts(about),
  );
  return `msg_${encodeInstant(occurredAt)}${eventDigest}`;
};

/** Distinguishes the ends of a run that was reopened. */
export const listEndParts = (event: GroupEvent): string[] =>
  event.type === 'RunEnded' && event.end !== undefined ? [String(event.end)] : [];
