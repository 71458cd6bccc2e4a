/**
 * The state of an instance in the partition of its tests: the number of resets, whether a reset is in progress, and
 * whether it was complete since. Absent for an instance that was never complete and never reset, unless only uploads
 * completed it. Written before the instance is marked as complete, so that whoever finds no such row knows that the
 * instance is open.
 */
import type { Entity } from '#shared/engine/table/entity.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { OfInstance } from '#shared/model/keys.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import { getInstancePartition, removeWithInstance } from './test-record.ts';

export interface InstanceReset extends OfInstance, Expiring {
  readonly epoch: number;
  readonly resetting: boolean;
  /** Whether every expected test had finished at some time since the last reset. */
  readonly complete?: true;
}

export const instanceResets: Entity<OfInstance, InstanceReset> & GoesWithRun = {
  type: 'state of an instance',
  guarded: false,
  removal: removeWithInstance('results'),
  patterns: [{ question: 'Whether an instance was complete or reset' }],
  key: (row) => ({ pk: getInstancePartition(row), sk: 'RESET' }),
  store: toAttributes,
  load: loadAttributes,
};
