/** Creates the deliveries of an event: one for each notice of the project that tells about it. */
import { ABSENT } from '#shared/engine/table/writes.ts';
import type { GroupEvent } from '#shared/model/domain-event.ts';
import { type Notice, noticeKeys, notices } from '#shared/model/notice.ts';
import { type NoticeDelivery, noticeDeliveries, noticeDeliveryIdOf } from '#shared/model/notice-delivery.ts';
import type { Services } from '#shared/services.ts';
import type { JobServices } from '#shared/webhooks/run-job.ts';
import { NOTICE_LIMITS } from './limits.ts';

type FanningOut = Pick<Services, 'table' | 'now'> & { readonly queue: JobServices['queue'] };

const DAY_SECONDS = 24 * 3600;

/** The expiry of a delivery in seconds, as DynamoDB's TTL requires. */
export const noticeExpiry = (milliseconds: number): number =>
  Math.floor(milliseconds / 1000) + NOTICE_LIMITS.deliveryDays * DAY_SECONDS;

/**
 * Idempotent. A repetition of the event that created a delivery queues it again, because its job may be lost. It does so
 * until the delivery had an attempt. The events of other groups do not.
 */
export async function fanOutNotices(event: GroupEvent, services: FanningOut): Promise<readonly object[]> {
  const { table, now, queue } = services;
  const found = await table.getMany(notices, noticeKeys(event), { consistent: true });
  const wanted = found.flatMap((notice) => (notice && tellsAbout(notice, event) ? [notice] : []));
  if (wanted.length === 0) return [];
  const outcomes = await Promise.all(
    wanted.map((notice) => table.put(noticeDeliveries, deliveryOf(notice, event, now()), ABSENT)),
  );
  const jobs = outcomes
    .flatMap((outcome) => (outcome.done ? outcome.item : (outcome.existing ?? [])))
    .filter(({ status, attemptsMade, groupId }) => {
      return status === 'pending' && attemptsMade === 0 && groupId === event.groupId;
    })
    .map(({ organizationId, hookId, deliveryId }) => ({ message: { organizationId, hookId, deliveryId, attempt: 0 } }));
  await queue.send(jobs);
  return [{ runId: event.runId, group: event.groupId, event: event.type, notices: jobs.length }];
}

function tellsAbout(notice: Notice, { type }: GroupEvent): boolean {
  if (notice.disabled) return false;
  if (notice.kind === 'slack') return type === 'RunEnded';
  return notice.sendsStatus || (notice.comments && type === 'RunEnded');
}

function deliveryOf({ hookId }: Notice, event: GroupEvent, now: number): NoticeDelivery {
  const { organizationId, projectId, runId, groupId, type } = event;
  return {
    organizationId,
    projectId,
    hookId,
    runId,
    groupId,
    deliveryId: noticeDeliveryIdOf(hookId, event),
    event: type,
    test: false,
    status: 'pending',
    attemptsMade: 0,
    retry: 0,
    attempts: [],
    createdAt: now,
    expiresAt: noticeExpiry(now),
  };
}
