/** Tests that passed and failed on one commit, in the same group and environment. */
import { FLAKY_LIMITS } from './limits.ts';

/** A group of one run, with its passed and failed tests. `Test` is whatever identifies a test. */
export interface RunOfCommit<Test> {
  readonly createdAt: number;
  readonly passed: ReadonlySet<Test>;
  readonly failed: ReadonlySet<Test>;
}

export interface Flips {
  readonly count: number;
  /** `createdAt` of the newest run with a different result. */
  readonly lastAt: number;
}

/** Finds the tests that flipped between runs of one commit. The result does not depend on the order of the runs. */
export function flipsOf<Test>(runs: readonly RunOfCommit<Test>[]): Map<Test, Flips> {
  const usable = runs.filter((run) => !hasMostlyFailed(run));
  const differing = new Map<Test, Set<RunOfCommit<Test>>>();
  for (const [index, one] of usable.entries()) {
    for (const other of usable.slice(index + 1)) {
      for (const test of differences(one, other)) {
        const known = differing.get(test) ?? new Set();
        differing.set(test, known.add(one).add(other));
      }
    }
  }
  return new Map([...differing].map(([test, runsOfTest]) => [test, countOf(test, [...runsOfTest])]));
}

const hasMostlyFailed = ({ passed, failed }: RunOfCommit<unknown>): boolean => {
  const { tests, share } = FLAKY_LIMITS.failedRun;
  const all = passed.size + failed.size;
  return all >= tests && failed.size > all * share;
};

/**
 * The tests with different results in two runs. Returns no tests if so many differ that the environment must have
 * changed.
 */
function differences<Test>(one: RunOfCommit<Test>, other: RunOfCommit<Test>): Test[] {
  const flipped = [
    ...[...one.failed].filter((test) => other.passed.has(test)),
    ...[...other.failed].filter((test) => one.passed.has(test)),
  ];
  const compared = [...one.passed, ...one.failed].filter((test) => other.passed.has(test) || other.failed.has(test));
  const { flips, share } = FLAKY_LIMITS.differingRuns;
  return flipped.length >= flips && flipped.length > compared.length * share ? [] : flipped;
}

function countOf<Test>(test: Test, runs: readonly RunOfCommit<Test>[]): Flips {
  const passes = runs.filter(({ passed }) => passed.has(test)).length;
  return {
    count: Math.min(passes, runs.length - passes),
    lastAt: Math.max(...runs.map(({ createdAt }) => createdAt)),
  };
}
