/** The number of resets of an instance, and whether a reset is in progress. */
import type { Entity } from '#shared/engine/table/entity.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { OfInstance } from '#shared/model/keys.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import { getInstancePartition, removeWithInstance } from './test-record.ts';

export interface InstanceReset extends OfInstance, Expiring {
  readonly epoch: number;
  readonly resetting: boolean;
}

export const instanceResets: Entity<OfInstance, InstanceReset> & GoesWithRun = {
  type: 'reset of an instance',
  guarded: false,
  removal: removeWithInstance('results'),
  patterns: [{ question: 'Resets of an instance' }],
  key: (of) => ({ pk: getInstancePartition(of), sk: 'RESET' }),
  store: toAttributes,
  load: loadAttributes,
};
