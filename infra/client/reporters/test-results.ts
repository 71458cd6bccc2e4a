/** The last result of each test, and whether the service has it. */
import { deriveTestKey, deriveTestPlace } from '#shared/model/ids.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import type { FinishedTest, Outcome } from './messages.ts';
import type { FailedTest, RecordingResult } from './recording-result.ts';

export interface Result {
  readonly state: Outcome;
  readonly isFlaky: boolean;
  readonly failed: FailedTest | undefined;
  /** Identifies the test in the tries of its build. */
  readonly place: string;
  isAcknowledged: boolean;
}

interface SpecFile {
  readonly group: string;
  readonly spec: string;
}

export class TestResults {
  readonly #results = new Map<string, Result>();
  /** The number of tests that could not be sent. */
  lostCount = 0;
  /** The number of tests that the service could not record. Sending them again would not help. */
  leftOutCount = 0;

  add({ group, spec }: SpecFile, { testId, title, state, isFlaky = false, attempts }: FinishedTest): Result {
    const error = attempts.findLast(({ errors = [] }) => errors.length > 0)?.errors?.[0];
    const { message = error?.value ?? '', location } = error ?? {};
    const failedTest = state === 'failed' ? { group, spec, title, message, location } : undefined;
    const place = deriveTestPlace({ groupId: group, spec, testKey: deriveTestKey(testId) });
    const result = { state, isFlaky, failed: failedTest, place, isAcknowledged: false };
    this.#results.set(JSON.stringify([group, spec, testId]), result);
    return result;
  }

  counts(): RecordingResult['counts'] {
    const counts = { overall: this.lostCount, passed: 0, failed: 0, skipped: 0, pending: 0, flaky: 0 };
    for (const { state, isFlaky } of this.#results.values()) {
      counts.overall += 1;
      counts[isFlaky && state === 'passed' ? 'flaky' : state] += 1;
    }
    return counts;
  }

  countUnrecorded(): number {
    const unacknowledgedCount = [...this.#results.values()].filter(({ isAcknowledged }) => !isAcknowledged).length;
    return unacknowledgedCount + this.leftOutCount + this.lostCount;
  }

  listFailed(): FailedTest[] {
    return [...this.#results.values()].flatMap(({ failed }) => failed ?? []);
  }

  /** What a later try has to repeat. `null` if that is not certain, so that it repeats everything. */
  listToRepeat(failsOnFlaky: boolean): readonly string[] | null {
    if (this.lostCount > 0 || this.leftOutCount > 0) return null;
    const open = [...this.#results.values()].filter(
      ({ state, isFlaky }) => state === 'failed' || state === 'skipped' || (isFlaky && failsOnFlaky),
    );
    return open.length > RECORDING_LIMITS.testsToRepeat ? null : open.map(({ place }) => place);
  }
}
