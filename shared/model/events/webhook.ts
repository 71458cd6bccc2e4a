/** §6 A webhook: a destination for the events of a project. Access patterns: by id; all webhooks of a project. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick, toAttributes } from '#shared/engine/table/stored.ts';
import type { Receiver, ReceiverKey } from './receiver.ts';
import type { RunEventName } from './run-event.ts';

interface SigningSecret {
  /** The secret in the format of Standard Webhooks: `whsec_` followed by Base64. */
  readonly value: string;
  /** The time until which a replaced secret is still used for signatures, in epoch milliseconds. */
  readonly expiresAt?: number;
}

/** A webhook. Its `hookId` is a UUID. */
export interface Webhook extends Receiver {
  readonly url: string;
  /** The custom headers: the text of a JSON object, exactly as it was saved. */
  readonly headers: string | null;
  /** The subscribed events. If the list is empty, the webhook receives all events. */
  readonly hookEvents: readonly RunEventName[];
  readonly label: string | null;
  /** Creation time, in epoch milliseconds. */
  readonly createdAt: number;
  /** The signing secrets, newest first. Empty means that deliveries are not signed. */
  readonly secrets: readonly SigningSecret[];
  readonly disabled?: { readonly at: number; readonly reason: 'gone' | 'failing' | 'byHand' };
}

export const webhooks: Entity<ReceiverKey, Webhook> = {
  type: 'webhook',
  guarded: false,
  gives: 'results',
  removal: 'apart',
  patterns: [{ question: 'A webhook by id' }],
  key: ({ organizationId, hookId }) => ({ pk: composeKey('WEBHOOK', organizationId, hookId), sk: 'WEBHOOK' }),
  store: toAttributes,
  load: loadAttributes,
};

type WebhookEntry = Pick<Webhook, 'organizationId' | 'projectId' | 'hookId'>;

/** The webhook itself is stored once, under its id. */
export const webhooksOfProject: Entity<WebhookEntry, WebhookEntry> = {
  type: 'webhook, listed',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Webhooks of a project' }],
  key: ({ organizationId, projectId, hookId }) => ({
    pk: composeKey('WEBHOOKS', organizationId, projectId),
    sk: composeKey('WEBHOOK', hookId),
  }),
  store: pick('organizationId', 'projectId', 'hookId'),
  load: loadAttributes,
};

export const getWebhooksSpan = ({ organizationId, projectId }: Pick<Webhook, 'organizationId' | 'projectId'>) =>
  getPrefixSpan(composeKey('WEBHOOKS', organizationId, projectId), composePrefix('WEBHOOK'));
