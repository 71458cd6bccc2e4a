/** Computes the facts (aggregates) of a group of an ended run. Equal instances give equal facts. */
import {
  computeBusyTime,
  countRetries,
  findDisplayedError,
  isMeasured,
  sumDurations,
} from '#shared/model/results/attempt.ts';
import { countKnownTests, hasFailed, type Instance, isComplete } from '#shared/model/results/instance.ts';
import type { RecordedTest } from '#shared/model/results/instance-details.ts';
import { type Counters, countTests, shouldStoreEvidence } from '#shared/model/results/outcomes.ts';
import type { Group } from '#shared/model/runs/group.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import { makeErrorCollector, type RestOfFacts } from './entry.ts';
import { toStoredError } from './stored-error.ts';
import type { StoredSums } from './sums.ts';
import { addExecution, addSpec, makeSpecSums, makeTestSums } from './totals.ts';

export interface TestedInstance {
  readonly instance: Instance;
  readonly tests: readonly RecordedTest[];
}

/** Looks up the numbers that stand for spec files and tests in stored facts. A test beyond the limits has no number. */
export interface Numbers {
  readonly spec: (specFile: string) => number | undefined;
  readonly series: (specFile: string, test: RecordedTest, ownTags: readonly string[]) => number | undefined;
}

export interface GroupFacts {
  readonly tests: StoredSums;
  readonly rest: RestOfFacts;
  readonly counters: Counters;
}

export const pickOwnTags = (test: RecordedTest, inheritedTags: readonly string[]): string[] =>
  test.tags.filter((tag) => !inheritedTags.includes(tag));

export const mergeInheritedTags = (run: Run, group: Group): string[] => mergeTags(run.tags, group.tags);

export function computeGroupFacts(
  run: Run,
  group: Group,
  testedInstances: readonly TestedInstance[],
  numbers: Numbers,
): GroupFacts {
  const inheritedTags = mergeInheritedTags(run, group);
  const tests = makeTestSums();
  const specs = makeSpecSums();
  const { errors, placeOf } = makeErrorCollector();
  const executionsWithError: { readonly error: number; readonly series: number }[] = [];
  const sortedInstances = testedInstances.toSorted((one, other) =>
    one.instance.instanceId < other.instance.instanceId ? -1 : 1,
  );
  for (const { instance, tests: all } of sortedInstances) {
    const spec = numbers.spec(instance.spec);
    if (spec !== undefined) addSpec(specs, spec, computeSpecFacts(run, instance, all));
    for (const test of all.toSorted((one, other) => (one.testId < other.testId ? -1 : 1))) {
      const series = numbers.series(instance.spec, test, pickOwnTags(test, inheritedTags));
      if (series === undefined) continue;
      const { outcome, flaky, attempts } = test;
      const milliseconds = Math.round(sumDurations(attempts));
      // The durations of interrupted tests and implausible durations are not counted.
      const isTimed = attempts.at(-1)?.rawStatus !== 'interrupted' && isMeasured(attempts);
      addExecution(tests, series, { outcome, flaky, milliseconds, isTimed }, run.createdAt);
      const error = shouldStoreEvidence(test) ? findDisplayedError(attempts) : undefined;
      if (error) executionsWithError.push({ error: placeOf(toStoredError(error)), series });
    }
  }
  const countedTests = testedInstances.flatMap((one) =>
    one.tests.map((test) => ({ ...test, retries: countRetries(test.attempts) })),
  );
  const events = {
    errors,
    error: executionsWithError.map(({ error }) => error),
    series: executionsWithError.map(({ series }) => series),
  };
  const rest = { specs: specs.stored(), events };
  return { tests: tests.stored(), rest, counters: countTests(countedTests) };
}

function computeSpecFacts(run: Run, instance: Instance, tests: readonly RecordedTest[]) {
  const isReported = isComplete(instance);
  const hasFailure = tests.some(({ outcome }) => outcome === 'failed' || outcome === 'skipped') || hasFailed(instance);
  const milliseconds = isReported ? computeBusyTime(tests.flatMap(({ attempts }) => attempts)) : undefined;
  const isTimed = milliseconds !== undefined ? 1 : 0;
  const isBrokenOff = run.completionState === 'TIMEOUT' || run.completionState === 'CANCELED';
  return {
    executions: 1,
    failed: hasFailure ? 1 : 0,
    flaky: tests.some(({ flaky }) => flaky) ? 1 : 0,
    fullyReported: isReported ? 1 : 0,
    timedOut: !isReported && isBrokenOff ? 1 : 0,
    milliseconds: milliseconds ?? 0,
    timed: isTimed,
    millisecondsWithoutFailed: hasFailure ? 0 : (milliseconds ?? 0),
    timedWithoutFailed: hasFailure ? 0 : isTimed,
    suiteSize: isReported ? countKnownTests(instance) : 0,
  };
}
