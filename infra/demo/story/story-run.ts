/** What a run of the story consists of, as reporters and imports send it. */
import type { AttemptFile, SentAttempt } from './attempts.ts';
import type { PlannedRun } from './plan.ts';
import type { DemoProject, RunFacts } from './run-facts.ts';

export interface SentTest {
  readonly testId: string;
  readonly title: readonly string[];
  readonly state: 'failed' | 'passed' | 'pending';
  readonly isFlaky: boolean;
  readonly expectedStatus: 'passed' | 'skipped';
  readonly tags: readonly string[];
  readonly annotations: readonly object[];
  readonly attempts: readonly SentAttempt[];
}

export interface StoryInstance {
  readonly groupId: string;
  readonly spec: string;
  readonly artifacts: readonly AttemptFile[];
  readonly results: { readonly tests: readonly SentTest[] };
}

export interface StoryMachine {
  readonly machineId: string;
  readonly group: string;
  readonly endsAt: number;
  readonly instances: readonly StoryInstance[];
}

/** A report file, as `rundown upload` sends it from a job of the build. */
export interface StoryReport {
  readonly job: string;
  readonly name: string;
  readonly content: string;
  readonly endsAt: number;
}

export interface StoryRun extends Pick<PlannedRun, 'ciBuildId' | 'createdAt' | 'special'> {
  readonly project: DemoProject;
  readonly facts: RunFacts;
  readonly suite: readonly object[];
  readonly machines: readonly StoryMachine[];
  /** The run is imported from these reports, and has no machines. */
  readonly reports?: readonly StoryReport[];
  /** The error outside the tests that made the job fail. */
  readonly error?: string;
}
