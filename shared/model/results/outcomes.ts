/** §2.1, §3 Test outcomes and how they are counted. */
import * as z from 'zod';

export const RecordedTestOutcome = z
  .enum(['passed', 'failed', 'pending', 'skipped'])
  .meta({ id: 'RecordedTestOutcome', description: 'Final outcome of a test' });
export type RecordedTestOutcome = z.infer<typeof RecordedTestOutcome>;

export interface CountedTest {
  readonly outcome: RecordedTestOutcome;
  readonly flaky: boolean;
  readonly retries: number;
}

export const Counters = z.object({
  overall: z.int().meta({ description: 'Tests that reported a result' }),
  passes: z.int(),
  failures: z.int(),
  pending: z.int(),
  skipped: z.int(),
  flaky: z.int(),
  retries: z.int(),
});
export type Counters = Readonly<z.infer<typeof Counters>>;

const NO_TESTS: Counters = {
  overall: 0,
  passes: 0,
  failures: 0,
  pending: 0,
  skipped: 0,
  flaky: 0,
  retries: 0,
};

const counterOf = {
  passed: 'passes',
  failed: 'failures',
  pending: 'pending',
  skipped: 'skipped',
} as const satisfies Record<RecordedTestOutcome, keyof Counters>;

/** §3 Flaky tests and retries are counted in addition to the four outcomes. */
export function countTests(tests: Iterable<CountedTest>): Counters {
  const counters = { ...NO_TESTS };
  for (const { outcome, flaky, retries } of tests) {
    counters.overall += 1;
    counters[counterOf[outcome]] += 1;
    counters.flaky += flaky ? 1 : 0;
    counters.retries += retries;
  }
  return counters;
}

export function sumCounters(all: Iterable<Counters>): Counters {
  const total = { ...NO_TESTS };
  for (const counters of all) {
    for (const name of Object.keys(total) as (keyof Counters)[]) total[name] += counters[name];
  }
  return total;
}

/** A failed or skipped test makes a run fail (§2.1: both count as failures). */
export const isFailure = (outcome: RecordedTestOutcome): boolean => outcome === 'failed' || outcome === 'skipped';

/** A notable test gets a second history row, in the list `notable`. */
export const isNotable = (test: Pick<CountedTest, 'outcome' | 'flaky'>): boolean =>
  test.outcome !== 'passed' || test.flaky;

export const shouldStoreEvidence = ({ outcome, flaky }: Pick<CountedTest, 'outcome' | 'flaky'>): boolean =>
  outcome === 'failed' || flaky;
