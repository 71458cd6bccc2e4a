/**
 * Lets only one delivery at a time write to a target, which is a commit status or a comment. The text about an older
 * run cannot overwrite the text about a newer run.
 */
import { digest } from '#shared/engine/table/keys.ts';
import { type NotificationTarget, notificationTargets } from '#shared/model/events/notification-target.ts';
import type { ReceiverKey } from '#shared/model/events/receiver.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { WithClock } from '#shared/services.ts';
import { Ended } from './ended.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';

type Memory = Pick<NotificationTarget, 'commentId'>;

interface Turn {
  readonly receiver: ReceiverKey;
  readonly target: string;
  readonly run: Pick<Run, 'runId' | 'createdAt'>;
  readonly text: string;
}

const DIGEST_CHARACTERS = 24;
const DAY_SECONDS = 24 * 3600;

/**
 * Calls `write` unless the target already contains this text about the run. Returns whether `write` was called. Throws
 * `Ended` if a newer run has already been reported, or if another delivery is writing to the target. If a function is
 * killed, its lease expires by itself.
 */
export async function takeTurn(
  services: WithClock,
  { receiver, target, run, text }: Turn,
  write: (known: Memory) => Promise<Memory>,
): Promise<boolean> {
  const { table, now } = services;
  const key = { organizationId: receiver.organizationId, hookId: receiver.hookId, target };
  const leasedUntil = now() + NOTIFICATION_LIMITS.leaseMilliseconds;
  const written = digest(DIGEST_CHARACTERS, run.runId, text);
  const known = await lease(services, key, run, leasedUntil);
  const held = { path: 'leasedUntil', equals: leasedUntil } as const;
  try {
    if (known.written === written) return false;
    const { commentId } = await write(known);
    const set = [
      ['written', written] as const,
      ...(commentId === undefined ? [] : [['commentId', commentId] as const]),
    ];
    await table.update(notificationTargets, key, { set }, held);
    return true;
  } finally {
    await table.update(notificationTargets, key, { remove: ['leasedUntil'] }, held);
  }
}

async function lease(
  { table, now }: WithClock,
  key: Parameters<typeof notificationTargets.key>[0],
  { runId, createdAt }: Turn['run'],
  leasedUntil: number,
): Promise<NotificationTarget> {
  const expiresAt = Math.ceil(now() / 1000) + NOTIFICATION_LIMITS.targetDays * DAY_SECONDS;
  const facts = { ...key, runId, runCreatedAt: createdAt, leasedUntil, expiresAt };
  const leased = await table.update(
    notificationTargets,
    key,
    { set: Object.entries(facts) },
    {
      all: [
        { any: [{ absent: 'runCreatedAt' }, { path: 'runCreatedAt', atMost: createdAt }] },
        { any: [{ absent: 'leasedUntil' }, { path: 'leasedUntil', atMost: now() }] },
      ],
    },
  );
  if (leased.done) return leased.item;
  if ((leased.item?.runCreatedAt ?? 0) > createdAt)
    throw new Ended({ kind: 'pointless' }, 'A newer run has already been reported');
  throw new Ended(
    { kind: 'busy', until: now() + NOTIFICATION_LIMITS.busyMilliseconds },
    'Another delivery is writing the same comment or status',
  );
}
