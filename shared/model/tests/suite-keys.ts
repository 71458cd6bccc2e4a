/**
 * The keys of the tests that a suite lists for a spec file, in the order of the suite. Each key is stored as 6 bytes.
 * Access pattern: with the tests of the instance.
 */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, digest, prefix } from '#shared/engine/table/keys.ts';
import { stored } from '#shared/engine/table/stored.ts';
import { TEST_CHARACTERS } from '#shared/model/ids.ts';
import type { OfInstance } from '#shared/model/keys.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import { instancePartition, withInstance } from './test-record.ts';

export interface SuiteKeys extends OfInstance, Expiring {
  /** The digest of the test keys. */
  readonly suite: string;
  readonly testKeys: readonly string[];
  /** The number of rows that hold the live counters of the suite's spec files. */
  readonly progressRows: number;
}

const SUITE_CHARACTERS = 16;

export const suiteOfKeys = (testKeys: readonly string[]): string => digest(SUITE_CHARACTERS, testKeys.join(''));

export const suiteKeys: Entity<OfInstance & Pick<SuiteKeys, 'suite'>, SuiteKeys> & GoesWithRun = {
  type: 'expected tests',
  guarded: false,
  removal: withInstance('results'),
  patterns: [
    { question: 'Tests that suites list for an instance', key: 'pk = INSTANCE#org#instance, sk begins with SUITE#' },
  ],
  key: (of) => ({ pk: instancePartition(of), sk: composed('SUITE', of.suite) }),
  store: ({ testKeys, ...key }) => ({ ...key, keys: new Uint8Array(Buffer.from(testKeys.join(''), 'hex')) }),
  load: (row) => {
    const { keys, ...key } = stored<Omit<SuiteKeys, 'testKeys'> & { readonly keys: Uint8Array }>(row);
    return { ...key, testKeys: Buffer.from(keys).toString('hex').match(TEST_KEY) ?? [] };
  },
};

const TEST_KEY = new RegExp(`.{${TEST_CHARACTERS}}`, 'g');

export const suiteKeysSpan = (of: OfInstance) => beginningWith(instancePartition(of), prefix('SUITE'));
