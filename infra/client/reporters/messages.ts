/** What a reporter tells the recorder about its tests. The service truncates texts that are too long. */
import type { AttemptFacts } from '#shared/model/results/attempt.ts';

export type Outcome = 'passed' | 'failed' | 'skipped' | 'pending';

export interface TestError {
  readonly message?: string | undefined;
  readonly stack?: string | undefined;
  readonly snippet?: string | undefined;
  readonly value?: string | undefined;
  readonly location?: { readonly file: string; readonly line: number; readonly column: number } | undefined;
}

export interface Step {
  readonly title: string;
  readonly category: string;
  /** Milliseconds, or -1 for a step that never ended. */
  readonly duration: number;
  /** Epoch milliseconds. */
  readonly startTime?: number | undefined;
  readonly error?: TestError | undefined;
  readonly steps: readonly Step[];
}

export interface Attempt extends Partial<AttemptFacts> {
  /** `skipped`: the attempt could not run. `pending`: it was skipped on purpose. */
  readonly state: Outcome;
  /** The status in the terms of the framework, such as `timedOut`. */
  readonly status: string;
  /** Epoch milliseconds. */
  readonly startTime?: number | undefined;
  /** Milliseconds. */
  readonly duration: number;
  readonly errors?: readonly TestError[] | undefined;
  readonly steps?: readonly Step[] | undefined;
  readonly stdout?: readonly string[] | undefined;
  readonly stderr?: readonly string[] | undefined;
}

export interface FinishedTest {
  readonly testId: string;
  readonly title: readonly string[];
  readonly state: Outcome;
  readonly isFlaky?: boolean;
  readonly expectedStatus?: string | undefined;
  readonly attempts: readonly Attempt[];
  readonly annotations?: readonly { readonly type: string; readonly description?: string | undefined }[] | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** A file of a test, of an attempt, or of a spec file. Its content is on the disk or in memory. */
export interface TestFile {
  readonly testId?: string | undefined;
  readonly attempt?: number | undefined;
  readonly type: 'attachment' | 'screenshot' | 'stdout' | 'trace' | 'video';
  readonly name: string;
  readonly fileName?: string | undefined;
  readonly contentType: string;
  readonly content: { readonly path: string } | { readonly bytes: Uint8Array };
}

export interface Group {
  readonly name: string;
  readonly tags?: readonly string[] | undefined;
  readonly environment?: string | undefined;
  readonly browser?: { readonly name: string; readonly version?: string | undefined } | undefined;
  /** All tests that this machine will run. Empty if the framework does not list its tests before it runs them. */
  readonly tests: readonly { readonly testId: string; readonly spec: string }[];
}

export interface Framework {
  readonly type: string;
  readonly version: string;
}
