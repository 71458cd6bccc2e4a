/** The lock of a machine while it stores a suite of a run. If its request is killed, the lock expires by itself. */
import { type Entity, getPartitionSpan } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
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

const getPartition = ({ organizationId, runId }: RunKey): string => composeKey('START', organizationId, runId);

export const startLocks: Entity<LockKey, StartLock> & GoesWithRun = {
  type: 'start lock',
  guarded: false,
  removal: { ends: 'own', ofRun: (run) => [getPartitionSpan(getPartition(run))] },
  patterns: [{ question: 'The machine that stores a suite' }],
  key: (lock) => ({ pk: getPartition(lock), sk: composeKey('SUITE', lock.suite) }),
  store: toAttributes,
  load: loadAttributes,
};
