/**
 * A target is a text that a notification overwrites again and again: the status of a commit, or a comment. The row
 * names the newest run that was reported in the target. The row also serves as a lease, so that only one delivery
 * writes to the target at a time. Access pattern: by id.
 */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composed } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';
import type { ReceiverKey } from './receiver.ts';

export interface NotificationTargetKey extends ReceiverKey {
  /** The id of the target: `status#<commit>` or `comment#<pull request>#<groups>`, encoded as a key. */
  readonly target: string;
}

export interface NotificationTarget extends NotificationTargetKey {
  readonly runId: string;
  /**
   * Creation time of the newest run that was reported in the target, in epoch milliseconds. Runs older than this run
   * are not reported there.
   */
  readonly runCreatedAt: number;
  /**
   * When the lease of the delivery that is writing to the target expires, in epoch milliseconds. Absent if no delivery
   * is writing.
   */
  readonly leasedUntil?: number;
  /**
   * Digest of the run and of the text that were written last, so that the same text about the run is not written again.
   */
  readonly written?: string;
  /** The id of the comment on the code host. */
  readonly commentId?: number;
  /** TTL in epoch seconds. */
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
  store: attributesOf,
  load: stored,
};
