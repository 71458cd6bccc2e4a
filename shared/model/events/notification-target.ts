/**
 * A target is a text that a notification overwrites again and again: the status of a commit, or a comment. The row
 * names the newest run that was reported in the target. The row also serves as a lease, so that only one delivery
 * writes to the target at a time. Access pattern: by id.
 */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { ReceiverKey } from './receiver.ts';

export interface NotificationTargetKey extends ReceiverKey {
  /** The id of the target: `status#<commit>` or `comment#<pull request>#<groups>`, encoded as a key. */
  readonly target: string;
}

export interface NotificationTarget extends NotificationTargetKey {
  readonly runId: string;
  /** Of the newest run that was reported in the target, in epoch milliseconds. Older runs are not reported there. */
  readonly runCreatedAt: number;
  /** End of the lease of the delivery that is writing, in epoch milliseconds. Absent if none is writing. */
  readonly leasedUntil?: number;
  /** Of the run and text that were written last, so that the same text about the run is not written again. */
  readonly written?: string;
  /** On the code host. */
  readonly commentId?: number;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

export const notificationTargets: Entity<NotificationTargetKey, NotificationTarget> = {
  type: 'target of a notification',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'The newest run that a notification wrote about', of: { hookId: 'notification' } }],
  key: ({ organizationId, hookId, target }) => ({
    pk: composeKey('NOTIFICATION', organizationId, hookId),
    sk: composeKey('TARGET', target),
  }),
  store: toAttributes,
  load: loadAttributes,
};
