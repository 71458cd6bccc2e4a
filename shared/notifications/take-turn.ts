/**
 * Lets only one delivery at a time write to a target, which is a commit status or a comment. In a comment, the text about
 * an older run cannot overwrite the text about a newer run.
 */
import { computeDigest } from '#shared/engine/table/keys.ts';
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
  /** Whether the target is only about one run, so that an older run is not reported after a newer one. */
  readonly isAboutRun: boolean;
}

/** The run that a text links to, and the text. */
interface Content {
  readonly runId: string;
  readonly text: string;
}

const DIGEST_CHARACTERS = 24;
const DAY_SECONDS = 24 * 3600;

/**
 * Calls `write` unless the target already contains this text about the run. Returns whether `write` was called. `read`
 * is called while no other delivery may write to the target, so that the last text written is the newest one. Throws
 * `Ended` if a newer run has already been reported, or if another delivery is writing to the target. If a function is
 * killed, its lease expires by itself.
 */
export async function takeTurn<Read extends Content>(
  services: WithClock,
  { receiver, target, run, isAboutRun }: Turn,
  read: () => Promise<Read>,
  write: (known: Memory, content: Read) => Promise<Memory>,
): Promise<boolean> {
  const { table, now } = services;
  const key = { organizationId: receiver.organizationId, hookId: receiver.hookId, target };
  const leasedUntil = now() + NOTIFICATION_LIMITS.leaseMilliseconds;
  const known = await lease(services, key, { run, isAboutRun, leasedUntil });
  const held = { path: 'leasedUntil', equals: leasedUntil } as const;
  try {
    const content = await read();
    const written = computeDigest(DIGEST_CHARACTERS, content.runId, content.text);
    if (known.written === written) return false;
    const { commentId } = await write(known, content);
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
  {
    run: { runId, createdAt },
    isAboutRun,
    leasedUntil,
  }: Pick<Turn, 'run' | 'isAboutRun'> & { readonly leasedUntil: number },
): Promise<NotificationTarget> {
  const expiresAt = Math.ceil(now() / 1000) + NOTIFICATION_LIMITS.targetDays * DAY_SECONDS;
  const facts = { ...key, runId, runCreatedAt: createdAt, leasedUntil, expiresAt };
  const leased = await table.update(
    notificationTargets,
    key,
    { set: Object.entries(facts) },
    {
      all: [
        ...(isAboutRun ? [{ any: [{ absent: 'runCreatedAt' }, { path: 'runCreatedAt', atMost: createdAt }] }] : []),
        { any: [{ absent: 'leasedUntil' }, { path: 'leasedUntil', atMost: now() }] },
      ],
    },
  );
  if (leased.done) return leased.item;
  if (isAboutRun && (leased.item?.runCreatedAt ?? 0) > createdAt)
    throw new Ended({ kind: 'pointless' }, 'A newer run has already been reported');
  throw new Ended(
    { kind: 'busy', until: now() + NOTIFICATION_LIMITS.busyMilliseconds },
    'Another delivery is writing the same comment or status',
  );
}
