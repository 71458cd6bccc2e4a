/** Defines which field of `Sums` holds which total of a test or spec file. */
import type { RecordedTestOutcome } from '#shared/model/results/outcomes.ts';
import type { PerOutcome, SpecTotals, Totals } from './read-model.ts';
import { Sums } from './sums.ts';

const OUTCOMES = ['passed', 'failed', 'pending', 'skipped'] as const satisfies readonly RecordedTestOutcome[];
const KINDS = 4;

/**
 * Creates empty totals of tests. The summed fields are executions, flaky executions, milliseconds and executions of
 * unknown duration, each by outcome. The only field whose largest value is kept is the creation time of the latest run
 * with the test.
 */
export const makeTestSums = (): Sums => new Sums({ sums: KINDS * OUTCOMES.length, largest: 1 });

export interface TestExecution {
  readonly outcome: RecordedTestOutcome;
  readonly flaky: boolean;
  readonly milliseconds: number;
  readonly isTimed: boolean;
}

export function addExecution(sums: Sums, number: number, test: TestExecution, createdAt: number): void {
  const values = [1, test.flaky ? 1 : 0, test.isTimed ? test.milliseconds : 0, test.isTimed ? 0 : 1];
  const fields = values.flatMap((value) => OUTCOMES.map((outcome) => (outcome === test.outcome ? value : 0)));
  sums.addRow(number, fields, [createdAt]);
}

export function toTotals(fields: readonly number[]): Totals {
  const readOutcomes = (kind: number): PerOutcome => {
    const [passed = 0, failed = 0, pending = 0, skipped = 0] = fields.slice(kind * OUTCOMES.length);
    return { passed, failed, pending, skipped };
  };
  const executions = readOutcomes(0);
  const untimedExecutions = readOutcomes(3);
  const timedExecutions = {
    passed: executions.passed - untimedExecutions.passed,
    failed: executions.failed - untimedExecutions.failed,
    pending: executions.pending - untimedExecutions.pending,
    skipped: executions.skipped - untimedExecutions.skipped,
  };
  return { executions, flaky: readOutcomes(1), milliseconds: readOutcomes(2), timed: timedExecutions };
}

const SPEC_FIELDS = [
  'executions',
  'failed',
  'flaky',
  'fullyReported',
  'timedOut',
  'milliseconds',
  'timed',
  'millisecondsWithoutFailed',
  'timedWithoutFailed',
] as const satisfies readonly (keyof SpecTotals)[];

/**
 * Number of buckets in a histogram of durations: below one second, below two seconds, below four seconds and so on.
 * Each bucket has a number of executions and the sum of their milliseconds. The fields of all counts precede those of
 * all sums.
 */
const LENGTHS = 18;
const computeLengthBucket = (milliseconds: number): number =>
  milliseconds < 1000 ? 0 : Math.min(LENGTHS - 1, 1 + Math.floor(Math.log2(milliseconds / 1000)));

export const makeSpecSums = (): Sums => new Sums({ sums: SPEC_FIELDS.length + 2 * LENGTHS, largest: 1 });

export function addSpec(sums: Sums, number: number, spec: Omit<SpecTotals, 'specFile' | 'typicalMilliseconds'>): void {
  const byLength = Array.from({ length: 2 * LENGTHS }, () => 0);
  const length = computeLengthBucket(spec.milliseconds);
  byLength[length] = spec.timed;
  byLength[LENGTHS + length] = spec.milliseconds;
  sums.addRow(number, [...SPEC_FIELDS.map((name) => spec[name]), ...byLength], [spec.suiteSize]);
}

/** The mean of the bucket with the median. Unlike the overall mean, a single wrong duration does not distort it. */
function computeTypicalDuration(byLength: readonly number[], timedCount: number): number | undefined {
  let seenCount = 0;
  for (let length = 0; length < LENGTHS; length += 1) {
    const count = byLength[length] ?? 0;
    seenCount += count;
    if (count > 0 && seenCount * 2 >= timedCount) return (byLength[LENGTHS + length] ?? 0) / count;
  }
  return undefined;
}

export function toSpecTotals(specFile: string, sums: readonly number[], suiteSize: number): SpecTotals {
  const [executions = 0, failed = 0, flaky = 0, fullyReported = 0, timedOut = 0, milliseconds = 0, timed = 0] = sums;
  const [millisecondsWithoutFailed = 0, timedWithoutFailed = 0] = sums.slice(7);
  const typicalMilliseconds = computeTypicalDuration(sums.slice(SPEC_FIELDS.length), timed);
  const counts = { executions, failed, flaky, fullyReported, timedOut, milliseconds, timed };
  return { specFile, ...counts, typicalMilliseconds, millisecondsWithoutFailed, timedWithoutFailed, suiteSize };
}
