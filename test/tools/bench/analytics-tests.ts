/** Generates executions with the durations and failures of a typical suite. */
import type { Attempt } from '#shared/model/results/attempt.ts';
import type { RecordedTest } from '#shared/model/results/instance-details.ts';

/** The median of test durations, and the standard deviation of their logarithms. */
const MEDIAN_MILLISECONDS = 1800;
const SPREAD = 1.1;
const FAILED = 0.016;
const FLAKY = 0.0025;

/** A pseudo-random number from 0 to 1 that depends only on the arguments. */
export function chance(...of: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (const one of of) {
    hash = Math.imul(hash ^ one, 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash ^= hash >>> 13;
  }
  return (hash >>> 0) / 2 ** 32;
}

interface ExecutedTest {
  readonly test: number;
  readonly number: number;
  readonly instanceId: string;
  readonly createdAt: number;
}

export function testOf({ test, number, instanceId, createdAt }: ExecutedTest): RecordedTest {
  const share = chance(test, number, 4);
  const outcome = share < FAILED ? 'failed' : 'passed';
  const flaky = outcome === 'passed' && share < FAILED + FLAKY;
  const states =
    outcome === 'failed' ? (['failed'] as const) : flaky ? (['failed', 'passed'] as const) : (['passed'] as const);
  const attempts = states.map(
    (state, attempt): Attempt => ({
      attempt,
      state,
      rawStatus: state,
      startedAt: createdAt,
      duration: durationOf(test, number + attempt),
      workerIndex: 0,
      parallelIndex: 0,
      errors: state === 'failed' ? [errorOf(test)] : [],
    }),
  );
  const title = ['checkout', `area ${test % 7}`, `keeps the discount of order ${test}`];
  const testId = String(test).padStart(6, '0');
  const ids = { testId, recordId: instanceId + testId };
  return { ...ids, title, outcome, flaky, expectedStatus: 'passed', tags: [], annotations: [], attempts, done: true };
}

/**
 * The durations of different tests follow a log-normal distribution. In each run, a test takes up to 10 % more or less
 * than its own typical duration.
 */
function durationOf(test: number, number: number): number {
  const one = chance(test, 5);
  const other = chance(test, 6);
  const normal = Math.sqrt(-2 * Math.log(1 - one)) * Math.cos(2 * Math.PI * other);
  return Math.round(MEDIAN_MILLISECONDS * Math.exp(SPREAD * normal) * (0.9 + 0.2 * chance(test, number, 7)));
}

function errorOf(test: number): Attempt['errors'][number] {
  const message = `Error: expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('total-${test % 40}')`;
  return { message, stack: null, location: null, snippet: null };
}
