/**
 * The number of resets of an instance, and whether a reset is in progress. Access pattern: with the tests of the
 * instance.
 */
import type { Entity } from '#shared/engine/table/entity.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';
import type { OfInstance } from '#shared/model/keys.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import { instancePartition, withInstance } from './test-record.ts';

export interface InstanceReset extends OfInstance, Expiring {
  readonly epoch: number;
  readonly resetting: boolean;
}

export const instanceResets: Entity<OfInstance, InstanceReset> & GoesWithRun = {
  type: 'reset of an instance',
  guarded: false,
  removal: withInstance('results'),
  patterns: [{ question: 'Resets of an instance', key: 'pk = INSTANCE#org#instance, sk = RESET' }],
  key: (of) => ({ pk: instancePartition(of), sk: 'RESET' }),
  store: attributesOf,
  load: stored,
};
