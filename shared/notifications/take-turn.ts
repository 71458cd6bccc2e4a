/** One delivery at a time writes to a status or a comment. In a comment, no older run overwrites a newer one. */

import { DAY_SECONDS } from '#shared/engine/durations.ts';
import { computeDigest } from '#shared/engine/table/keys.ts';
import { type Condition, toAssignments } from '#shared/engine/table/update.ts';
import { type NotificationTarget, notificationTargets } from '#shared/model/events/notification-target.ts';
import type { ReceiverKey } from '#shared/model/events/receiver.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { WithClock } from '#shared/services.ts';
import { DeliveryProblem } from './delivery-problem.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';

type Memory = Pick<NotificationTarget, 'commentId'>;

interface TargetTurn {
  readonly receiver: ReceiverKey;
  readonly target: string;
  readonly run: Pick<Run, 'runId' | 'createdAt'>;
  /** Whether the target is only about one run, so that an older run is not reported after a newer one. */
  readonly isAboutRun: boolean;
}

/** The run that a text links to, and the text. */
interface TargetContent {
  readonly runId: string;
  readonly text: string;
}

const DIGEST_CHARACTERS = 24;

/**
 * Calls `write` unless the target contains this text already. Returns whether it did. `read` is called while no other
 * delivery may write, so that the newest text is written last. Throws `DeliveryProblem` after a newer run, or if
 * another delivery is writing. The lease of a killed function expires.
 */
export async function takeTurn<Read extends TargetContent>(
  services: WithClock,
  { receiver, target, run, isAboutRun }: TargetTurn,
  read: () => Promise<Read>,
  write: (memory: Memory, content: Read) => Promise<Memory>,
): Promise<boolean> {
  const { table, now } = services;
  const key = { organizationId: receiver.organizationId, hookId: receiver.hookId, target };
  const leasedUntil = now() + NOTIFICATION_LIMITS.leaseMilliseconds;
  const memory = await acquireLease(services, key, { run, isAboutRun, leasedUntil });
  const leaseCondition = { path: 'leasedUntil', equals: leasedUntil } as const;
  try {
    const content = await read();
    const textDigest = computeDigest(DIGEST_CHARACTERS, content.runId, content.text);
    if (memory.written === textDigest) return false;
    const { commentId } = await write(memory, content);
    const set = toAssignments({ written: textDigest, commentId });
    await table.update(notificationTargets, key, { set }, leaseCondition);
    return true;
  } finally {
    await table.update(notificationTargets, key, { remove: ['leasedUntil'] }, leaseCondition);
  }
}

async function acquireLease(
  { table, now }: WithClock,
  key: Parameters<typeof notificationTargets.key>[0],
  { run, isAboutRun, leasedUntil }: Pick<TargetTurn, 'run' | 'isAboutRun'> & { readonly leasedUntil: number },
): Promise<NotificationTarget> {
  const { runId, createdAt } = run;
  const expiresAt = Math.ceil(now() / 1000) + NOTIFICATION_LIMITS.targetDays * DAY_SECONDS;
  const facts = { ...key, runId, runCreatedAt: createdAt, leasedUntil, expiresAt };
  const conditions: Condition[] = [{ any: [{ absent: 'leasedUntil' }, { path: 'leasedUntil', atMost: now() }] }];
  if (isAboutRun) conditions.push({ any: [{ absent: 'runCreatedAt' }, { path: 'runCreatedAt', atMost: createdAt }] });
  const result = await table.update(notificationTargets, key, { set: Object.entries(facts) }, { all: conditions });
  if (result.done) return result.item;
  if (isAboutRun && (result.item?.runCreatedAt ?? 0) > createdAt)
    throw new DeliveryProblem({ kind: 'pointless' }, 'A newer run has already been reported');
  throw new DeliveryProblem(
    { kind: 'busy', until: now() + NOTIFICATION_LIMITS.busyMilliseconds },
    'Another delivery is writing the same comment or status',
  );
}
