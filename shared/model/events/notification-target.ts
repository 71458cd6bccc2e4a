/**
 * A target is a text that a notification writes again and again: the status of a commit, or a comment. The row names the newest
 * run that was written, and lets one delivery write at a time. Access pattern: by id.
 */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composed } from '#shared/engine/table/keys.ts';
import { stored } from '#shared/engine/table/stored.ts';
import type { ReceiverKey } from './receiver.ts';

export interface NotificationTargetKey extends ReceiverKey {
  /** `status#<commit>` or `comment#<pull request>#<groups>`, encoded as a key. */
  readonly target: string;
}

export interface NotificationTarget extends NotificationTargetKey {
  readonly runId: string;
  /** Runs that were created before this time in milliseconds write nothing any more. */
  readonly runCreatedAt: number;
  /** The time in milliseconds until which one delivery writes. Absent if none does. */
  readonly leasedUntil?: number;
  /** A digest of the text that was written last, so that a repetition writes nothing. */
  readonly written?: string;
  /** The id of the comment at GitHub. */
  readonly commentId?: number;
  /** The expiry in seconds, for DynamoDB's TTL. */
  readonly expiresAt: number;
}

export const notificationTargets: Entity<NotificationTargetKey, NotificationTarget> = {
  type: 'target of a notification',
  guarded: false,
  removal: 'apart',
  patterns: [
    {
      question: 'The newest run that a notification wrote about',
      key: 'pk = NOTIFICATION#org#notification, sk = TARGET#target',
    },
  ],
  key: ({ organizationId, hookId, target }) => ({
    pk: composed('NOTIFICATION', organizationId, hookId),
    sk: composed('TARGET', target),
  }),
  store: (target) => ({ ...target }),
  load: (row) => stored<NotificationTarget>(row),
};
