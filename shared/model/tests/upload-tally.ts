/**
 * Results of the tests that batch uploads brought to an instance. One upload writes the tally once. Tests that passed
 * without a retry have no record of their own. Access pattern: with the tests of the instance.
 */
import { type Entity, wholePartition } from '#shared/engine/table/entity.ts';
import { pack, unpack } from '#shared/engine/table/packed.ts';
import { stored } from '#shared/engine/table/stored.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import type { CountedTest } from './outcomes.ts';
import { instancePartition } from './test-record.ts';

export interface UploadTally extends Expiring {
  readonly organizationId: string;
  readonly instanceId: string;
  /** The counted results by the short name of their test. */
  readonly results: Readonly<Record<string, CountedTest>>;
  /** The tags of the uploaded tests. */
  readonly testTags: readonly string[];
  /** The version of the tally. Each upload increases it by more than the number of final messages that it replaced. */
  readonly version: number;
}

type Key = Pick<UploadTally, 'organizationId' | 'instanceId'>;

export const uploadTallies: Entity<Key, UploadTally> & GoesWithRun = {
  type: 'uploaded results',
  guarded: false,
  removal: { ends: 'results', ofInstance: (instance) => [wholePartition(instancePartition(instance))] },
  patterns: [
    { question: 'Results that uploads brought to an instance', key: 'pk = INSTANCE#org#instance, sk = TALLY' },
  ],
  key: (of) => ({ pk: instancePartition(of), sk: 'TALLY' }),
  store: ({ results, testTags, ...rest }) => ({ ...rest, packed: pack({ results, testTags }) }),
  load: (row) => {
    const { packed, ...rest } = stored<Omit<UploadTally, 'results' | 'testTags'> & { readonly packed: Uint8Array }>(
      row,
    );
    return { ...rest, ...unpack<Pick<UploadTally, 'results' | 'testTags'>>(packed) };
  },
};
