/**
 * The lock that a machine holds while it stores a suite of a run. If the machine's request is killed, the lock expires
 * by itself.
 */
import { type Entity, wholePartition } from '#shared/engine/table/entity.ts';
import { composed } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';
import type { RunKey } from '#shared/model/keys.ts';
import type { GoesWithRun } from './removal.ts';

interface LockKey extends RunKey {
  /** The digest of the suite. */
  readonly suite: string;
}

export interface StartLock extends LockKey {
  /** The key of the request that holds the lock, so that a repeated request can continue immediately. */
  readonly owner: string;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

const partition = ({ organizationId, runId }: RunKey): string => composed('START', organizationId, runId);

export const startLocks: Entity<LockKey, StartLock> & GoesWithRun = {
  type: 'start lock',
  guarded: false,
  removal: { ends: 'own', ofRun: (run) => [wholePartition(partition(run))] },
  patterns: [{ question: 'The machine that stores a suite', key: 'pk = START#org#run, sk = SUITE#suite' }],
  key: (lock) => ({ pk: partition(lock), sk: composed('SUITE', lock.suite) }),
  store: attributesOf,
  load: stored,
};
