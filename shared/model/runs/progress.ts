/**
 * Live counters of the spec files of a run. One row holds the counters of several files, so that polling reads few
 * bytes. The counters are absolute values with a version, so that older counters never replace newer ones. Access
 * pattern: all rows of a run.
 */
import { type Entity, getPartitionSpan } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes } from '#shared/engine/table/stored.ts';
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

const getPartition = ({ organizationId, runId }: RunKey): string => composeKey('PROGRESS', organizationId, runId);

export const getProgressSpan = (run: RunKey) => getPartitionSpan(getPartition(run));

export const progressRows: Entity<RunKey & Pick<ProgressRow, 'row'>, ProgressRow> & GoesWithRun = {
  type: 'live counters',
  guarded: false,
  removal: { ends: 'results', ofRun: (run) => [getProgressSpan(run)] },
  patterns: [{ question: 'Live counters of the spec files of a run' }],
  key: (row) => ({ pk: getPartition(row), sk: row.row }),
  store: ({ files, expiresAt }) => ({ ...files, expiresAt }),
  load: (row) => {
    const { pk, sk, expiresAt, ...files } = loadAttributes<StoredProgress>(row);
    const [, organizationId = '', runId = ''] = pk.split('#');
    return { organizationId, runId, row: sk, expiresAt, files };
  },
};

type StoredProgress = { readonly pk: string; readonly sk: string; readonly expiresAt: number | undefined } & {
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
