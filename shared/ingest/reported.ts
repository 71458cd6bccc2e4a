/**
 * Results as domain types. Each protocol translates its messages into these types, and only this folder turns them into
 * rows.
 */
import type { Annotation, Attempt } from '#shared/model/results/attempt.ts';
import type { Evidence } from '#shared/model/results/evidence.ts';
import type { Instance } from '#shared/model/results/instance.ts';
import type { RecordedTestOutcome } from '#shared/model/results/outcomes.ts';

export interface ReportedTest {
  readonly testId: string;
  readonly title: readonly string[];
  /** The id of the machine. Absent if the protocol names one machine per spec file. */
  readonly machineId?: string | null | undefined;
  readonly expectedStatus: string;
  /** The outcome so far, which is final for a finished test. */
  readonly outcome: RecordedTestOutcome;
  readonly flaky: boolean;
  readonly attempts: readonly Attempt[];
  readonly annotations: readonly Annotation[];
  readonly tags: readonly string[];
  /** Returns the evidence. It is parsed only if the diagnostics of the test are stored. */
  readonly evidence: () => Evidence;
}

/** A finished spec file of a group. */
export interface ReportedInstance {
  readonly groupId: string;
  readonly spec: string;
  /** The worker that ran the first test of the spec file, if the protocol reports it. */
  readonly worker?: Instance['worker'] | null | undefined;
  readonly tests: readonly ReportedTest[];
  /** Whether the spec file is still running, so that its machine sends more of it. */
  readonly hasMore?: boolean;
  /** Counts the results of one test in one request from 0, because two report files may contain the same test. */
  readonly repetition?: number;
}
