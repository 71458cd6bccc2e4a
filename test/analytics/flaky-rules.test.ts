import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findFlips, type RunOfCommit } from '#shared/analytics/flaky/flips.ts';
import { FLAKY_LIMITS } from '#shared/analytics/flaky/limits.ts';
import { computeLowerBound, determineFlakyState } from '#shared/analytics/flaky/state.ts';
import { cases } from '#test/harness/cases.ts';

/** Binomial distribution: the probabilities of 0 to `trials` events. */
function binomial(trials: number, rate: number): number[] {
  const all = [(1 - rate) ** trials];
  for (let events = 1; events <= trials; events += 1) {
    const before = all[events - 1] ?? 0;
    all.push((before * (trials - events + 1) * rate) / (events * (1 - rate)));
  }
  return all;
}

describe('The flakiness score of a test', () => {
  test('is the lower Wilson bound of its rate of flaky events, with z = 1.645', () => {
    const counts = fc
      .integer({ min: 1, max: 5000 })
      .chain((n) => fc.tuple(fc.integer({ min: 1, max: n }), fc.constant(n)));
    fc.assert(
      fc.property(counts, ([events, trials]) => {
        let low = 0;
        let high = events / trials;
        for (let step = 0; step < 100; step += 1) {
          const middle = (low + high) / 2;
          const isBelow = events / trials - middle > FLAKY_LIMITS.z * Math.sqrt((middle * (1 - middle)) / trials);
          if (isBelow) low = middle;
          else high = middle;
        }
        expect(computeLowerBound(events, trials)).toBeCloseTo(low, 9);
      }),
      { numRuns: cases(300) },
    );
  });

  /** The probability that a test with this true rate of events gets this state. */
  const likely = (state: string, rate: number, trials: number): number =>
    binomial(trials, rate).reduce((sum, probability, events) => {
      const recent = { events, executions: trials };
      const found = determineFlakyState({
        events,
        executions: trials,
        recent,
        defaultBranch: { failures: 0, executions: trials },
      });
      return sum + (found === state ? probability : 0);
    }, 0);

  test.each([20, 60, 200, 600, 2000])(
    'A test with a flakiness rate of 0.2 % is called flaky in fewer than 2 of 100 histories of %i executions',
    (trials) => {
      expect(likely('flaky', 0.002, trials)).toBeLessThan(0.02);
    },
  );

  test.each([
    [0.3, 20],
    [0.1, 60],
    [0.04, 150],
  ])(
    'A test with a flakiness rate of %f is called flaky in more than 90 of 100 histories of %i executions',
    (rate, trials) => {
      expect(likely('flaky', rate, trials)).toBeGreaterThan(0.9);
    },
  );

  test('The flakiness score rises with flaky events, falls with executions, and is 0 without flaky events', () => {
    expect(computeLowerBound(0, 0)).toBe(0);
    expect(computeLowerBound(0, 50)).toBe(0);
    expect(computeLowerBound(3, 50)).toBeGreaterThan(computeLowerBound(2, 50));
    expect(computeLowerBound(2, 51)).toBeLessThan(computeLowerBound(2, 50));
    expect(computeLowerBound(4, 2)).toBeLessThanOrEqual(1);
  });
});

const evidence = (events: number, executions: number, more: object = {}) => ({
  events,
  executions,
  recent: { events, executions },
  defaultBranch: { failures: 0, executions },
  ...more,
});
const quiet = (executions: number) => ({ recent: { events: 0, executions } });
const failing = (failures: number, executions: number) => ({ defaultBranch: { failures, executions } });

describe('The flakiness state of a test', () => {
  test.each([
    ['flaky after two events in 100 executions', evidence(2, 100), 'flaky'],
    ['suspected after one event', evidence(1, 10), 'suspected'],
    ['suspected after two events in 2,000 executions', evidence(2, 2000), 'suspected'],
    ['recovered after 20 executions without an event', evidence(5, 100, quiet(20)), 'recovered'],
    ['flaky after only 19 executions without an event', evidence(5, 100, quiet(19)), 'flaky'],
    ['broken if it nearly always fails', evidence(0, 30, failing(29, 30)), 'broken'],
    ['not broken after only three failures', evidence(0, 3, failing(3, 3)), undefined],
    ['flaky and not broken if it nearly always fails but has recent events', evidence(3, 30, failing(29, 30)), 'flaky'],
    ['none without an event', evidence(0, 1000), undefined],
  ])('is %s', (_, facts, state) => {
    expect(determineFlakyState(facts)).toBe(state);
  });
});

const run = (createdAt: number, passed: readonly string[], failed: readonly string[]): RunOfCommit<string> => ({
  createdAt,
  passed: new Set(passed),
  failed: new Set(failed),
});
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('Runs of the same commit', () => {
  test('If a test both passed and failed in runs of the same commit, the number of flips is the count of the less frequent outcome', () => {
    const runs = [run(1, ['a', 'b'], []), run(2, ['b'], ['a']), run(3, ['a'], ['c']), run(4, ['a', 'b'], [])];
    expect([...findFlips(runs)]).toEqual([['a', { count: 1, lastAt: 4 }]]);
    expect(findFlips([...runs, run(5, [], ['a'])]).get('a')).toEqual({ count: 2, lastAt: 5 });
  });

  test('A run in which more than half of its 20 tests failed causes no flips among runs of the same commit', () => {
    const whole = run(1, [...names('p', 19), 'a'], []);
    expect(findFlips([whole, run(2, names('p', 9), [...names('q', 10), 'a'])]).size).toBe(0);
    expect(findFlips([whole, run(2, names('p', 10), [...names('q', 9), 'a'])]).size).toBe(1);
  });

  test('cause no flips if their results differ for ten or more tests and for more than 5 percent of all tests', () => {
    const flipping = names('f', 10);
    const pair = (steady: number) => [
      run(1, [...names('s', steady), ...flipping], []),
      run(2, names('s', steady), flipping),
    ];
    expect(findFlips(pair(189)).size).toBe(0);
    expect(findFlips(pair(190)).size).toBe(10);
    expect(findFlips([run(1, names('f', 9), []), run(2, [], names('f', 9))]).size).toBe(9);
  });

  test('have the same flips in any order', () => {
    const outcome = fc.constantFrom('passed', 'failed', 'absent');
    const anyRun = fc.tuple(fc.nat(9), fc.array(outcome, { minLength: 6, maxLength: 6 }));
    const anyRuns = fc.array(anyRun, { maxLength: 6 }).map((all) =>
      all.map(([at, outcomes]) => {
        const withOutcome = (wanted: string) => names('t', 6).filter((_, index) => outcomes[index] === wanted);
        return run(at, withOutcome('passed'), withOutcome('failed'));
      }),
    );
    fc.assert(
      fc.property(
        anyRuns.chain((runs) => fc.tuple(fc.constant(runs), fc.shuffledSubarray(runs, { minLength: runs.length }))),
        ([runs, shuffled]) => {
          expect(new Map([...findFlips(shuffled)].sort())).toEqual(new Map([...findFlips(runs)].sort()));
          for (const [name, { count }] of findFlips(runs)) {
            const passes = runs.filter(({ passed }) => passed.has(name)).length;
            const failures = runs.filter(({ failed }) => failed.has(name)).length;
            expect(count).toBe(Math.min(passes, failures));
          }
        },
      ),
      { numRuns: cases(300) },
    );
  });
});
