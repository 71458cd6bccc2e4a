/**
 * Computes the facts of one group of an ended run from its instances. Deterministic: equal instances give equal facts.
 */

import { classifyError } from '#shared/errors/classify.ts';
import { maskedText } from '#shared/masking/masking.ts';
import type { Group } from '#shared/model/runs/group.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import {
  type AttemptError,
  busyTime,
  displayedError,
  isMeasured,
  retriesOf,
  totalDuration,
} from '#shared/model/tests/attempt.ts';
import { hasFailed, type Instance, isComplete, testsOf } from '#shared/model/tests/instance.ts';
import type { RecordedTest } from '#shared/model/tests/instance-details.ts';
import { type Counters, countTests, leavesEvidence } from '#shared/model/tests/outcomes.ts';
import type { Events, RestOfFacts, StoredError } from './entry.ts';
import type { StoredSums } from './sums.ts';
import { addExecution, addSpec, specSums, testSums } from './totals.ts';

/**
 * The error of a failed or flaky execution, as the read model stores it. Secrets are masked first: classification
 * replaces variable parts, and what is left of a secret would match no known format.
 */
function errorOf(error: AttemptError): StoredError {
  const { message, target, action, category } = classifyError({ ...error, message: maskedText(error.message) });
  return [message, target, action, category];
}

export interface TestedInstance {
  readonly instance: Instance;
  readonly tests: readonly RecordedTest[];
}

/** Looks up the numbers by which facts refer to names. A test beyond the limits has none. */
export interface Numbers {
  readonly spec: (specFile: string) => number | undefined;
  readonly series: (specFile: string, test: RecordedTest, own: readonly string[]) => number | undefined;
}

export interface GroupFacts {
  readonly tests: StoredSums;
  readonly rest: RestOfFacts;
  readonly counters: Counters;
}

/** §9.2 A spec file was executed if a machine claimed it or it has a result. */
export const isExecuted = ({ claims, counters }: Instance): boolean => claims.length > 0 || counters.overall > 0;

/** Tags of a test that neither its run nor its group has. */
export const ownTags = (test: RecordedTest, inherited: readonly string[]): string[] =>
  test.tags.filter((tag) => !inherited.includes(tag));

export const inheritedTags = (run: Run, group: Group): string[] => mergeTags(run.tags, group.tags);

export function factsOfGroup(run: Run, group: Group, own: readonly TestedInstance[], numbers: Numbers): GroupFacts {
  const inherited = inheritedTags(run, group);
  const tests = testSums();
  const specs = specSums();
  const found: { readonly error: StoredError; readonly series: number }[] = [];
  for (const { instance, tests: all } of [...own].sort(bySpec)) {
    const spec = numbers.spec(instance.spec);
    if (spec !== undefined) addSpec(specs, spec, specFactsOf(run, instance, all));
    for (const test of [...all].sort(byId)) {
      const series = numbers.series(instance.spec, test, ownTags(test, inherited));
      if (series === undefined) continue;
      addExecution(tests, series, executionOf(test), run.createdAt);
      const error = leavesEvidence(test) ? displayedError(test.attempts) : undefined;
      if (error) found.push({ error: errorOf(error), series });
    }
  }
  const counted = own.flatMap((one) => one.tests.map((test) => ({ ...test, retries: retriesOf(test.attempts) })));
  const rest = { specs: specs.stored(), events: eventsOf(found) };
  return { tests: tests.stored(), rest, counters: countTests(counted) };
}

const bySpec = ({ instance: one }: TestedInstance, { instance: other }: TestedInstance): number =>
  one.instanceId < other.instanceId ? -1 : 1;
const byId = (one: RecordedTest, other: RecordedTest): number => (one.testId < other.testId ? -1 : 1);

/** The execution of a test, as totals count it. Interrupted tests and implausible durations do not count as timed. */
const executionOf = ({ outcome, flaky, attempts }: RecordedTest) => ({
  outcome,
  flaky,
  milliseconds: Math.round(totalDuration(attempts)),
  isTimed: attempts.at(-1)?.rawStatus !== 'interrupted' && isMeasured(attempts),
});

function specFactsOf(run: Run, instance: Instance, tests: readonly RecordedTest[]) {
  const isReported = isComplete(instance);
  const failed = tests.some(({ outcome }) => outcome === 'failed' || outcome === 'skipped') || hasFailed(instance);
  const milliseconds = isReported ? busyTime(tests.flatMap(({ attempts }) => attempts)) : undefined;
  const isTimed = milliseconds !== undefined ? 1 : 0;
  const isBrokenOff = run.completionState === 'TIMEOUT' || run.completionState === 'CANCELED';
  return {
    executions: 1,
    failed: failed ? 1 : 0,
    flaky: tests.some(({ flaky }) => flaky) ? 1 : 0,
    fullyReported: isReported ? 1 : 0,
    timedOut: !isReported && isBrokenOff ? 1 : 0,
    milliseconds: milliseconds ?? 0,
    timed: isTimed,
    millisecondsWithoutFailed: failed ? 0 : (milliseconds ?? 0),
    timedWithoutFailed: failed ? 0 : isTimed,
    suiteSize: isReported ? testsOf(instance) : 0,
  };
}

function eventsOf(found: readonly { readonly error: StoredError; readonly series: number }[]): Events {
  const errors = new Map<string, { readonly error: StoredError; readonly place: number }>();
  for (const { error } of found) {
    const key = JSON.stringify(error);
    if (!errors.has(key)) errors.set(key, { error, place: errors.size });
  }
  return {
    errors: [...errors.values()].map(({ error }) => error),
    error: found.map(({ error }) => errors.get(JSON.stringify(error))?.place ?? 0),
    series: found.map(({ series }) => series),
  };
}
