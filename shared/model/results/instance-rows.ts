/** Reads the resets, expected tests, uploaded results and test records of an instance with one query. */
import type { Attributes, Span } from '#shared/engine/table/entity.ts';
import { type RowOfTest, testRows } from './evidence.ts';
import { type InstanceReset, instanceResets } from './instance-reset.ts';
import { type SuiteKeys, suiteKeys } from './suite-keys.ts';
import { getInstancePartition, type TestRecord } from './test-record.ts';
import { type UploadTally, uploadTallies } from './upload-tally.ts';

export type InstanceRow =
  | RowOfTest
  | { readonly kind: 'reset'; readonly reset: InstanceReset }
  | { readonly kind: 'suite'; readonly suite: SuiteKeys }
  | { readonly kind: 'tally'; readonly tally: UploadTally };

export const instanceRows = {
  load: (row: Attributes): InstanceRow => {
    const [kind] = String(row['sk']).split('#');
    if (kind === 'RESET') return { kind: 'reset', reset: instanceResets.load(row) };
    if (kind === 'SUITE') return { kind: 'suite', suite: suiteKeys.load(row) };
    if (kind === 'TALLY') return { kind: 'tally', tally: uploadTallies.load(row) };
    return testRows.load(row);
  },
};

/** Neighbors in sort-key order, which one query reads: `RESET`, `SUITE#`, `TALLY` and `TEST#`. */
export const getInstanceRowsSpan = (key: Pick<TestRecord, 'organizationId' | 'instanceId'>): Span => ({
  pk: getInstancePartition(key),
  from: 'RESET',
  to: 'TEST#\u{10ffff}',
});
