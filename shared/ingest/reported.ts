/**
 * Results as domain types. Each protocol translates its messages into these types, and only this folder turns them into
 * rows.
 */
import type { Annotation, Attempt } from '#shared/model/tests/attempt.ts';
import type { Evidence } from '#shared/model/tests/evidence.ts';
import type { RecordedTestOutcome } from '#shared/model/tests/outcomes.ts';

export interface ReportedTest {
  readonly testId: string;
  readonly title: readonly string[];
  /** The id of the machine. Absent if the protocol names the machine per spec file. */
  readonly machineId?: string | null | undefined;
  /** The outcome that the runner expects. */
  readonly expectedStatus: string;
  /** The outcome so far, which is final for a finished test. */
  readonly outcome: RecordedTestOutcome;
  /** Whether the client called the test flaky. */
  readonly flaky: boolean;
  readonly attempts: readonly Attempt[];
  readonly annotations: readonly Annotation[];
  readonly tags: readonly string[];
  /** Returns the evidence, which is parsed only if the test keeps diagnostics. */
  readonly evidence: () => Evidence;
}

/** A finished spec file of a group. */
export interface ReportedInstance {
  readonly groupId: string;
  readonly spec: string;
  readonly tests: readonly ReportedTest[];
}
