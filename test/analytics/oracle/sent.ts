/**
 * The runs that a test recorded, as plain data. The oracle computes every expected response from this data with simple
 * loops.
 */

export const OUTCOMES = ['passed', 'failed', 'pending', 'skipped'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** An error with the classification that the service must derive from its text. */
export interface SentError {
  readonly text: string;
  readonly message: string;
  readonly target: string | null;
  readonly action: string | null;
  readonly category: string;
}

export interface SentAttempt {
  readonly status: 'passed' | 'failed' | 'timedOut' | 'skipped' | 'interrupted';
  /** In epoch milliseconds. `null` if the runner sent no start. */
  readonly startedAt: number | null;
  readonly duration: number;
  readonly error: SentError | null;
}

export interface SentTest {
  readonly title: readonly string[];
  readonly outcome: Outcome;
  readonly expectedStatus: string;
  readonly attempts: readonly SentAttempt[];
  /** All tags that were sent. The test's own tags are those that neither its run nor its group has. */
  readonly tags: readonly string[];
  readonly annotations: readonly { readonly type: string; readonly description: string | null }[];
  /** Whether the outcome is final. */
  readonly done: boolean;
}

/** A spec file of a group. */
export interface SentInstance {
  readonly group: string;
  readonly spec: string;
  readonly isClaimed: boolean;
  /** The number of tests that the suite announced. */
  readonly expected: number;
  readonly tests: readonly SentTest[];
}

export interface SentGroup {
  readonly name: string;
  readonly tags: readonly string[];
  readonly environment: string | null;
}

export interface SentRun {
  readonly runId: string;
  readonly createdAt: number;
  /** `null` while the run is in progress. */
  readonly ending: 'COMPLETE' | 'CANCELED' | 'TIMEOUT' | null;
  readonly endedAt: number;
  readonly isDeleted: boolean;
  readonly tags: readonly string[];
  readonly branch: string | null;
  /** The hash of the commit. `null` if the reporter sent none. */
  readonly sha: string | null;
  readonly authorName: string | null;
  readonly authorEmail: string | null;
  readonly groups: readonly SentGroup[];
  readonly instances: readonly SentInstance[];
}
