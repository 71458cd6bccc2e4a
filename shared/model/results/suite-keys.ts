/** The keys of the tests that a suite lists for a spec file, in its order. Each is stored as 6 bytes. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, computeDigest } from '#shared/engine/table/keys.ts';
import { loadAttributes } from '#shared/engine/table/stored.ts';
import { TEST_CHARACTERS } from '#shared/model/ids.ts';
import type { OfInstance } from '#shared/model/keys.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import { getInstancePartition, removeWithInstance } from './test-record.ts';

export interface SuiteKeys extends OfInstance, Expiring {
  /** The digest of the test keys. */
  readonly suite: string;
  readonly testKeys: readonly string[];
  /** The number of rows that hold the live counters of the suite's spec files. */
  readonly progressRows: number;
  /** If another suite named the spec file first: the start of the digest of this suite, and how many tests it added. */
  readonly added?: { readonly by: string; readonly tests: number };
}

const SUITE_CHARACTERS = 16;

export const hashTestKeys = (testKeys: readonly string[]): string => computeDigest(SUITE_CHARACTERS, testKeys.join(''));

export const suiteKeys: Entity<OfInstance & Pick<SuiteKeys, 'suite'>, SuiteKeys> & GoesWithRun = {
  type: 'expected tests',
  guarded: false,
  removal: removeWithInstance('results'),
  patterns: [{ question: 'Tests that suites list for an instance', begins: 'SUITE#' }],
  key: (row) => ({ pk: getInstancePartition(row), sk: composeKey('SUITE', row.suite) }),
  store: ({ testKeys, ...key }) => ({ ...key, keys: new Uint8Array(Buffer.from(testKeys.join(''), 'hex')) }),
  load: (row) => {
    const { keys, ...key } = loadAttributes<Omit<SuiteKeys, 'testKeys'> & { readonly keys: Uint8Array }>(row);
    return { ...key, testKeys: Buffer.from(keys).toString('hex').match(TEST_KEY) ?? [] };
  },
};

const TEST_KEY = new RegExp(`.{${TEST_CHARACTERS}}`, 'g');

export const getSuiteKeysSpan = (instance: OfInstance) =>
  getPrefixSpan(getInstancePartition(instance), composePrefix('SUITE'));
