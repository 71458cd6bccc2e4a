/**
 * Live counters of the spec files of a run. One row holds the counters of several files, so that polling reads few
 * bytes. The counters are absolute values with a version, so that older counters never replace newer ones. Access
 * pattern: all rows of a run.
 *
 * Beside them are the suites of the run, with the spec files and tests that each added to those that the run expects.
 * Hundreds of shards announce a suite each when they start together, so these rows are no part of the row of the run.
 */
import { type Attributes, type Entity, getPartitionSpan } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes } from '#shared/engine/table/stored.ts';
import { type Changes, type Condition, toAssignments } from '#shared/engine/table/update.ts';
import { INSTANCE_START } from '#shared/model/ids.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Instance } from '#shared/model/results/instance.ts';
import type { Counters } from '#shared/model/results/outcomes.ts';
import type { Expiring } from './expiry.ts';
import type { GoesWithRun } from './removal.ts';

export interface FileProgress {
  /** The number of resets of the spec file. */
  readonly epoch: number;
  /** The version of the counters, as in the row of the instance. */
  readonly version: number;
  readonly isComplete: boolean;
  /** The number of tests that are expected or have reported. */
  readonly known: number;
  readonly counters: Counters;
}

interface ProgressRow extends RunKey, Expiring {
  readonly row: string;
  /** The encoded counters of each spec file, by `getFileAttribute`. */
  readonly files: Readonly<Record<string, string>>;
}

interface SuiteRowKey extends RunKey {
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

const getPartition = ({ organizationId, runId }: RunKey): string => composeKey('PROGRESS', organizationId, runId);

export const getProgressSpan = (run: RunKey) => getPartitionSpan(getPartition(run));

const SUITES = 'SUITES';

/** A row of the partition, of either kind. */
export const progressPartition = {
  load: (row: Attributes): { readonly files: ProgressRow['files']; readonly suites: SuiteRow['suites'] } =>
    `${row['sk']}`.startsWith(SUITES)
      ? { files: {}, suites: storedSuites.load(row).suites }
      : { files: progressRows.load(row).files, suites: {} },
};

export const progressRows: Entity<RunKey & Pick<ProgressRow, 'row'>, ProgressRow> & GoesWithRun = {
  type: 'live counters',
  guarded: false,
  removal: { ends: 'results', ofRun: (run) => [getProgressSpan(run)] },
  patterns: [{ question: 'Live counters of the spec files of a run' }],
  key: (of) => ({ pk: getPartition(of), sk: of.row }),
  store: ({ files, expiresAt }) => ({ ...files, expiresAt }),
  load: (row) => {
    const { pk, sk, expiresAt, ...files } = loadAttributes<StoredProgress>(row);
    const [, organizationId = '', runId = ''] = pk.split('#');
    return { organizationId, runId, row: sk, expiresAt, files };
  },
};

export const storedSuites: Entity<SuiteRowKey, SuiteRow> & GoesWithRun = {
  type: 'suites of a run',
  guarded: false,
  removal: { ends: 'results', ofRun: (run) => [getProgressSpan(run)] },
  patterns: [{ question: 'Whether the tests of a suite are stored' }],
  key: (of) => ({ pk: getPartition(of), sk: composeKey(SUITES, of.digit) }),
  store: ({ suites, expiresAt }) => ({ ...suites, expiresAt }),
  load: (row) => {
    const { pk, sk, expiresAt, count, ...suites } = loadAttributes<StoredProgress>(row);
    const [, organizationId = '', runId = ''] = pk.split('#');
    return { organizationId, runId, digit: sk.slice(SUITES.length + 1), expiresAt, suites };
  },
};

/** As long as the keys of tests. */
const SUITE_CHARACTERS = 12;

export const getSuiteRow = (run: RunKey, digest: string): SuiteRowKey => ({ ...run, digit: digest.slice(0, 1) });

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

export function sumSuites(rows: readonly Pick<SuiteRow, 'suites'>[]): AddedBySuite {
  const counts = rows.flatMap(({ suites }) => Object.values(suites)).map((text) => text.split('.').map(Number));
  return {
    files: counts.reduce((total, [files = 0]) => total + files, 0),
    tests: counts.reduce((total, [, tests = 0]) => total + tests, 0),
  };
}

type StoredProgress = { readonly pk: string; readonly sk: string; readonly expiresAt: number | undefined; readonly count: unknown } & {
  readonly [file: string]: string;
};

/** It is a power of two. */
export function countProgressRows(files: number): number {
  const { fewest, filesPerRow } = MODEL_LIMITS.progressRows;
  return 2 ** Math.ceil(Math.log2(Math.max(fewest, files / filesPerRow)));
}

const NAME_CHARACTERS = 8;
const HEX = 16;

/** The attribute that holds the counters of a spec file. */
export const getFileAttribute = ({ instanceId }: Pick<Instance, 'instanceId'>): string =>
  instanceId.slice(INSTANCE_START, INSTANCE_START + NAME_CHARACTERS);

/** `rows`: the number of rows that the counters of the run are spread over. */
export const pickProgressRow = (instance: Pick<Instance, 'instanceId'>, rows: number): string =>
  `${rows}-${Number.parseInt(getFileAttribute(instance), HEX) % rows}`;

const RADIX = 36;
const EPOCH_DIGITS = 2;
const VERSION_DIGITS = 6;
const NUMBERS = ['passes', 'failures', 'skipped', 'pending', 'flaky', 'retries'] as const;

const formatDigits = (value: number, width: number): string => value.toString(RADIX).padStart(width, '0');

/** Begins with epoch, version and completion, so that newer strings sort after older ones. Omits zeros at the end. */
export function encodeProgress({ epoch, version, isComplete, known, counters }: FileProgress): string {
  const start = formatDigits(epoch, EPOCH_DIGITS) + formatDigits(version, VERSION_DIGITS) + (isComplete ? '1' : '0');
  const numbers = [known, ...NUMBERS.map((name) => counters[name])];
  const isZero = (value: number) => value === 0;
  while (numbers.length > 1 && numbers.slice(-1).every(isZero)) numbers.pop();
  return start + numbers.map((value) => formatDigits(value, 1)).join('.');
}

export function decodeProgress(text: string): FileProgress {
  const versionEnd = EPOCH_DIGITS + VERSION_DIGITS;
  const numberIn = (from: number, to: number) => Number.parseInt(text.slice(from, to), RADIX);
  const numbers = text.slice(versionEnd + 1).split('.');
  const [knownTests = 0, passes = 0, failures = 0, skippedTests = 0, pendingTests = 0, flaky = 0, retries = 0] =
    numbers.map((part) => Number.parseInt(part, RADIX));
  const overall = passes + failures + skippedTests + pendingTests;
  return {
    epoch: numberIn(0, EPOCH_DIGITS),
    version: numberIn(EPOCH_DIGITS, versionEnd),
    isComplete: text[versionEnd] === '1',
    known: knownTests,
    counters: { overall, passes, failures, pending: pendingTests, skipped: skippedTests, flaky, retries },
  };
}
