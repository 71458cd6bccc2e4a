/**
 * The suites of a run, with the spec files and tests that each added to those that the run expects. Hundreds of shards
 * announce a suite each when they start together, so these are no attributes of the row of the run. They have a
 * partition of their own, because earlier releases take each row beside the live counters for counters.
 */
import { type Entity, getPartitionSpan, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes } from '#shared/engine/table/stored.ts';
import { type Changes, type Condition, toAssignments } from '#shared/engine/table/update.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Expiring } from './expiry.ts';
import type { GoesWithRun } from './removal.ts';

interface SuiteRowKey extends RunKey {
  /** Of the run. If a deletion was interrupted, rows of an earlier run of the same build may be left. */
  readonly createdAt: number;
  /** The first digit of the digests of its suites. */
  readonly digit: string;
}

export interface SuiteRow extends SuiteRowKey, Expiring {
  /** What each suite added, by the start of its digest. */
  readonly suites: Readonly<Record<string, string>>;
}

/** What a suite adds to a run: spec files and tests that no other suite named before. */
export interface AddedBySuite {
  readonly files: number;
  readonly tests: number;
}

const getPartition = ({ organizationId, runId }: RunKey): string => composeKey('SUITES', organizationId, runId);

/** Without the rows that an earlier run of the same build left behind. */
export const getSuitesSpan = (run: RunKey & Pick<SuiteRowKey, 'createdAt'>) =>
  getPrefixSpan(getPartition(run), composePrefix(encodeInstant(run.createdAt)));

export const storedSuites: Entity<SuiteRowKey, SuiteRow> & GoesWithRun = {
  type: 'suites of a run',
  guarded: false,
  removal: { ends: 'results', ofRun: (run) => [getPartitionSpan(getPartition(run))] },
  patterns: [
    { question: 'Whether the tests of a suite are stored' },
    { question: 'The number of spec files and tests that suites of a run name', begins: 'createdAt#' },
  ],
  key: (row) => ({ pk: getPartition(row), sk: composeKey(encodeInstant(row.createdAt), row.digit) }),
  store: ({ suites, expiresAt }) => ({ ...suites, expiresAt }),
  load: (row) => {
    const { pk, sk, expiresAt, count, ...suites } = loadAttributes<StoredRow>(row);
    const [, organizationId = '', runId = ''] = pk.split('#');
    const [instant = '', digit = ''] = sk.split('#');
    return { organizationId, runId, createdAt: Number.parseInt(instant, INSTANT_RADIX), digit, expiresAt, suites };
  },
};

/** Of `encodeInstant`. */
const INSTANT_RADIX = 32;

/** `count`: the number of its suites. */
type StoredRow = {
  readonly pk: string;
  readonly sk: string;
  readonly expiresAt: number | undefined;
  readonly count: unknown;
} & { readonly [suite: string]: string };

/** As long as the keys of tests. */
const SUITE_CHARACTERS = 12;

export const getSuiteRow = (
  { organizationId, runId, createdAt }: RunKey & Pick<SuiteRowKey, 'createdAt'>,
  digest: string,
): SuiteRowKey => ({ organizationId, runId, createdAt, digit: digest.slice(0, 1) });

export const isInRow = ({ suites }: SuiteRow, digest: string): boolean =>
  suites[digest.slice(0, SUITE_CHARACTERS)] !== undefined;

/** The first counts of a suite stay. A full row takes no further suite, which is then stored again by each request. */
export function addSuiteToRow(
  digest: string,
  { files, tests }: AddedBySuite,
  { expiresAt }: Expiring,
): { readonly changes: Changes; readonly when: Condition } {
  const name = digest.slice(0, SUITE_CHARACTERS);
  const set = [[name, `${files}.${tests}`] as const, ...toAssignments({ expiresAt })];
  const hasRoom = { any: [{ absent: 'count' }, { path: 'count', atMost: MODEL_LIMITS.suitesPerRow - 1 }] };
  return { changes: { set, add: [['count', 1]] }, when: { all: [{ absent: name }, hasRoom] } };
}

export function sumSuites(rows: readonly SuiteRow[]): AddedBySuite {
  const counts = rows.flatMap(({ suites }) => Object.values(suites)).map((text) => text.split('.').map(Number));
  return {
    files: counts.reduce((total, [files = 0]) => total + files, 0),
    tests: counts.reduce((total, [, tests = 0]) => total + tests, 0),
  };
}
