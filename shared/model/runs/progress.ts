/**
 * Live counters of the spec files of a run. One row holds the counters of several files, so that polling reads few
 * bytes. The counters are absolute values with a version, so that older counters never replace newer ones. Access
 * pattern: all rows of a run.
 */
import { type Entity, wholePartition } from '#shared/engine/table/entity.ts';
import { composed } from '#shared/engine/table/keys.ts';
import { stored } from '#shared/engine/table/stored.ts';
import { INSTANCE_START } from '#shared/model/ids.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Instance } from '#shared/model/tests/instance.ts';
import type { Counters } from '#shared/model/tests/outcomes.ts';
import type { Expiring } from './expiry.ts';
import type { GoesWithRun } from './removal.ts';

export interface FileProgress {
  /** The number of resets of the spec file. */
  readonly epoch: number;
  /** The version of the counters, as in the row of the instance. */
  readonly version: number;
  /** Whether every expected test of the spec file has finished. */
  readonly isComplete: boolean;
  /** The number of tests that are expected or have reported. */
  readonly known: number;
  readonly counters: Counters;
}

interface ProgressRow extends RunKey, Expiring {
  readonly row: string;
  /** The counters of each spec file, encoded as a string. The keys are the results of `fileName`. */
  readonly files: Readonly<Record<string, string>>;
}

const partition = ({ organizationId, runId }: RunKey): string => composed('PROGRESS', organizationId, runId);

export const progressOfRun = (run: RunKey) => wholePartition(partition(run));

export const progressRows: Entity<RunKey & Pick<ProgressRow, 'row'>, ProgressRow> & GoesWithRun = {
  type: 'live counters',
  guarded: false,
  removal: { ends: 'results', ofRun: (run) => [progressOfRun(run)] },
  patterns: [{ question: 'Live counters of the spec files of a run', key: 'pk = PROGRESS#org#run, sk = row' }],
  key: (of) => ({ pk: partition(of), sk: of.row }),
  store: ({ files, expiresAt }) => ({ ...files, expiresAt }),
  load: (row) => {
    const { pk, sk, expiresAt, ...files } = stored<Stored>(row);
    const [, organizationId = '', runId = ''] = pk.split('#');
    return { organizationId, runId, row: sk, expiresAt, files };
  },
};

type Stored = { readonly pk: string; readonly sk: string; readonly expiresAt: number | undefined } & {
  readonly [file: string]: string;
};

/** The number of rows that hold the counters of this many spec files. It is a power of two. */
export function progressRowsFor(files: number): number {
  const { fewest, filesPerRow } = MODEL_LIMITS.progressRows;
  return 2 ** Math.ceil(Math.log2(Math.max(fewest, files / filesPerRow)));
}

const NAME_CHARACTERS = 8;
const HEX = 16;

/** The name of the attribute that holds the counters of a spec file. */
export const fileName = ({ instanceId }: Pick<Instance, 'instanceId'>): string =>
  instanceId.slice(INSTANCE_START, INSTANCE_START + NAME_CHARACTERS);

/** The row that holds the counters of a spec file, if the counters of the run are spread over `rows` rows. */
export const progressRow = (instance: Pick<Instance, 'instanceId'>, rows: number): string =>
  `${rows}-${Number.parseInt(fileName(instance), HEX) % rows}`;

const RADIX = 36;
const EPOCH_DIGITS = 2;
const VERSION_DIGITS = 6;
const NUMBERS = ['passes', 'failures', 'skipped', 'pending', 'flaky', 'retries'] as const;

const digits = (value: number, width: number): string => value.toString(RADIX).padStart(width, '0');

/**
 * Encodes counters as a string. The string begins with the epoch, the version and the completion, so that newer strings
 * sort after older ones. Zeros at the end are omitted.
 */
export function progressText({ epoch, version, isComplete, known, counters }: FileProgress): string {
  const start = digits(epoch, EPOCH_DIGITS) + digits(version, VERSION_DIGITS) + (isComplete ? '1' : '0');
  const numbers = [known, ...NUMBERS.map((name) => counters[name])];
  const isZero = (value: number) => value === 0;
  while (numbers.length > 1 && numbers.slice(-1).every(isZero)) numbers.pop();
  return start + numbers.map((value) => digits(value, 1)).join('.');
}

export function progressIn(text: string): FileProgress {
  const versionEnd = EPOCH_DIGITS + VERSION_DIGITS;
  const numberIn = (from: number, to: number) => Number.parseInt(text.slice(from, to), RADIX);
  const numbers = text.slice(versionEnd + 1).split('.');
  const [known = 0, passes = 0, failures = 0, skipped = 0, pending = 0, flaky = 0, retries = 0] = numbers.map((part) =>
    Number.parseInt(part, RADIX),
  );
  const overall = passes + failures + skipped + pending;
  return {
    epoch: numberIn(0, EPOCH_DIGITS),
    version: numberIn(EPOCH_DIGITS, versionEnd),
    isComplete: text[versionEnd] === '1',
    known,
    counters: { overall, passes, failures, pending, skipped, flaky, retries },
  };
}
