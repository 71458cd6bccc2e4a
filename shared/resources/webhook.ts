/** §6 A webhook: where the events of a project are sent. Asked for: by id; all of a project. */
import { beginningWith, type Entity } from '../table/entity.ts';
import { composed, prefix } from '../table/keys.ts';
import { stored } from '../table/stored.ts';
import type { RunEventName } from './run-event.ts';

interface SigningSecret {
  /** `whsec_` and base64, as Standard Webhooks has it. */
  readonly value: string;
  /** Milliseconds; from a rotation on, until when it still signs. */
  readonly expiresAt?: number;
}

export interface Webhook {
  readonly organizationId: string;
  readonly projectId: string;
  /** A UUID. */
  readonly hookId: string;
  readonly url: string;
  /** A JSON object as text, exactly as it was saved. */
  readonly headers: string | null;
  /** Empty: all. */
  readonly hookEvents: readonly RunEventName[];
  readonly label: string | null;
  /** Milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Newest first; none: deliveries are not signed. */
  readonly secrets: readonly SigningSecret[];
  readonly disabled?: { readonly at: number; readonly reason: 'gone' | 'failing' | 'byHand' };
  /** Since when every attempt failed, in milliseconds; absent after a success. */
  readonly failingSince?: number;
  /** In a row. */
  readonly failures: number;
  /** The receiver is left alone until then, in milliseconds. */
  readonly pausedUntil?: number;
}

export const webhooks: Entity<Pick<Webhook, 'organizationId' | 'hookId'>, Webhook> = {
  type: 'webhook',
  patterns: [{ question: 'A webhook by id', key: 'pk = WEBHOOK#org#hook, sk = WEBHOOK' }],
  key: ({ organizationId, hookId }) => ({ pk: composed('WEBHOOK', organizationId, hookId), sk: 'WEBHOOK' }),
  store: (webhook) => ({ ...webhook }),
  load: (row) => stored<Webhook>(row),
};

type Listed = Pick<Webhook, 'organizationId' | 'projectId' | 'hookId'>;

/** A pointer: the record itself stands once, under its id. */
export const webhooksOfProject: Entity<Listed, Listed> = {
  type: 'webhook, listed',
  patterns: [{ question: 'Webhooks of a project', key: 'pk = WEBHOOKS#org#project, sk = WEBHOOK#hook' }],
  key: ({ organizationId, projectId, hookId }) => ({
    pk: composed('WEBHOOKS', organizationId, projectId),
    sk: composed('WEBHOOK', hookId),
  }),
  store: ({ organizationId, projectId, hookId }) => ({ organizationId, projectId, hookId }),
  load: (row) => stored<Listed>(row),
};

export const webhooksSpan = ({ organizationId, projectId }: Pick<Webhook, 'organizationId' | 'projectId'>) =>
  beginningWith(composed('WEBHOOKS', organizationId, projectId), prefix('WEBHOOK'));
