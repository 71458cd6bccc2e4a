/** What a recording tells the job at its end. */
import { isObject } from '../settings/json.ts';
import type { Outcome } from './messages.ts';
import type { SpoolEnd } from './spool.ts';

export interface FailedTest {
  readonly group: string;
  readonly spec: string;
  readonly title: readonly string[];
  readonly message: string;
  readonly location: { readonly file: string; readonly line: number } | undefined;
}

/** The failures that are new compared with an earlier run. */
export interface NewFailures {
  readonly count: number;
  readonly mayBeMore: boolean;
  /** Whether `count` is that of the whole run, because it is not known which of them other machines have reported. */
  readonly areOfRun: boolean;
  /** The first of those that this process has reported. */
  readonly tests: readonly FailedTest[];
}

interface ShownProblem {
  readonly message: string;
  readonly failsRun: boolean;
}

export interface RecordingResult {
  readonly runUrl: string | undefined;
  /**
   * The tests of this process by their outcome, which add up to `overall`: `passed` has no flaky tests. Only a test that
   * could not be sent at all has no outcome.
   */
  readonly counts: Readonly<Record<Outcome | 'flaky' | 'overall', number>>;
  /** How many of these tests the service has not recorded. */
  readonly notRecorded: number;
  readonly failed: readonly FailedTest[];
  /** `undefined` if the comparison is not known. */
  readonly newFailures: NewFailures | undefined;
  /** Why the run failed other than by its tests, and warnings, as the run shows them. */
  readonly runProblems: readonly ShownProblem[];
  /** What was not recorded, by this process or an earlier one, and what to do. */
  readonly problems: readonly string[];
  readonly isIncomplete: boolean;
  readonly waitsForMachines: number;
  readonly cancelled: string | undefined;
  /** Set if this client and the service are too many versions apart. */
  readonly versionNotice: string | undefined;
}

export const NO_FAILURES: NewFailures = { count: 0, mayBeMore: false, areOfRun: false, tests: [] };

/** Without problems in the response to the end, from an older service or none: the errors of this process. */
export function readRunProblems(
  { problems }: Readonly<Record<string, unknown>>,
  { failed, errors, hasFailedTests }: SpoolEnd & { readonly hasFailedTests: boolean },
): ShownProblem[] {
  if (Array.isArray(problems))
    return problems.filter(isObject).map(({ file, message, failsRun }) => ({
      message: typeof file === 'string' ? `${file}: ${String(message)}` : String(message),
      failsRun: failsRun === true,
    }));
  // Some runners say that they failed also if only a test did.
  const isUnexplained = failed && errors.length === 0 && !hasFailedTests;
  const messages = isUnexplained ? ['The tests did not run to their end'] : errors;
  return messages.map((message) => ({ message, failsRun: true }));
}
