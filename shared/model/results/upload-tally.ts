/**
 * The results that batch uploads added to an instance, in one row that each upload writes once. Uploaded tests have
 * no test record unless they have errors or evidence, or a rule matched them.
 */
import type { Entity } from '#shared/engine/table/entity.ts';
import { pack, unpack } from '#shared/engine/table/packed.ts';
import { loadAttributes } from '#shared/engine/table/stored.ts';
import type { OfInstance } from '#shared/model/keys.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import type { CountedTest } from './outcomes.ts';
import { getInstancePartition, removeWithInstance } from './test-record.ts';

/** `source`: the key of the source. Absent if it is the source of the first claim of the instance. */
export type TalliedTest = CountedTest & { readonly source?: string };

export interface UploadTally extends OfInstance, Expiring {
  /** The results by test key. */
  readonly results: Readonly<Record<string, TalliedTest>>;
  readonly testTags: readonly string[];
  /** Whether the latest upload is a part of the spec file that others follow. */
  readonly hasMore?: boolean | undefined;
  /** Each upload adds more than the final messages that it replaces, so that the instance's version never falls. */
  readonly version: number;
}

export const uploadTallies: Entity<OfInstance, UploadTally> & GoesWithRun = {
  type: 'uploaded results',
  guarded: false,
  removal: removeWithInstance('results'),
  patterns: [{ question: 'Results that uploads added to an instance' }],
  key: (row) => ({ pk: getInstancePartition(row), sk: 'TALLY' }),
  store: ({ results, testTags, ...rest }) => ({ ...rest, packed: pack({ results, testTags }) }),
  load: (row) => {
    const { packed, ...rest } = loadAttributes<
      Omit<UploadTally, 'results' | 'testTags'> & { readonly packed: Uint8Array }
    >(row);
    return { ...rest, ...unpack<Pick<UploadTally, 'results' | 'testTags'>>(packed) };
  },
};
