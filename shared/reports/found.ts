/** A test as a parser found it, before names are checked and attempts are merged. */
import type { Annotation, Attempt, AttemptFacts } from '#shared/model/results/attempt.ts';
import type { AttemptEvidence } from '#shared/model/results/evidence.ts';
import type { RecordedTestOutcome } from '#shared/model/results/outcomes.ts';

/** A file that belongs to an attempt and is contained in the report. */
export interface FoundFile {
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
  /** The number of bytes of the file that stay in memory until the file is stored. */
  readonly held: number;
  readonly read: () => AsyncIterable<Uint8Array>;
}

/** Attempts have no number yet, because tests with the same name may become attempts of one test. */
export interface FoundAttempt extends Omit<Attempt, 'attempt' | keyof AttemptFacts>, Partial<AttemptFacts> {
  readonly evidence?: AttemptEvidence | undefined;
  readonly files?: readonly FoundFile[];
}

/** The name that an earlier release gave to a test. */
export interface FormerName {
  readonly spec: string;
  readonly title: readonly string[];
  readonly sameName: SameName;
}

export interface FoundTest {
  /** The group of the test. `null` if the file does not name one. */
  readonly group: string | null;
  readonly spec: string;
  readonly title: readonly string[];
  /** Only if an earlier release named the tests of this writer otherwise. It may be the same name. */
  readonly former?: FormerName | undefined;
  /** The id that the tool gave to the test. Without it, an id is derived from the spec file and the title. */
  readonly testId?: string | undefined;
  readonly expectedStatus: string;
  readonly outcome: RecordedTestOutcome;
  /** Whether the tool called the test flaky. Used only if the attempts do not show whether the test was flaky. */
  readonly flaky: boolean;
  /** Whether the report does not say if there were earlier attempts. Only `flaky` then tells that one of them failed. */
  readonly hidesAttempts?: boolean;
  readonly attempts: readonly FoundAttempt[];
  readonly annotations: readonly Annotation[];
  readonly tags: readonly string[];
  /** The part of a file that lists the test. Results in different parts are those of different runs, never tries. */
  readonly source?: number;
  /** Why a test was skipped. Some tools write the error of a failed hook here. */
  readonly reason?: string | undefined;
}

/** How a test ended, and the status of its last attempt. */
export interface Ending extends Pick<FoundTest, 'outcome' | 'expectedStatus'> {
  readonly state: FoundAttempt['state'];
  readonly raw: string;
}

export const ENDINGS = {
  passed: { outcome: 'passed', expectedStatus: 'passed', state: 'passed', raw: 'passed' },
  failed: { outcome: 'failed', expectedStatus: 'passed', state: 'failed', raw: 'failed' },
  pending: { outcome: 'pending', expectedStatus: 'skipped', state: 'pending', raw: 'skipped' },
  skipped: { outcome: 'skipped', expectedStatus: 'passed', state: 'skipped', raw: 'skipped' },
  'expected failure': { outcome: 'passed', expectedStatus: 'failed', state: 'failed', raw: 'failed' },
  'unexpected pass': { outcome: 'failed', expectedStatus: 'failed', state: 'passed', raw: 'passed' },
} as const satisfies Readonly<Record<string, Ending>>;

/** Tests of one name: attempts of one test, numbered, only the last, or kept apart as for Playwright's `repeatEach`. */
export type SameName = 'attempts' | 'numbered' | 'last' | 'kept';

/** Merges tests with the same name into one test. Usually, each of them becomes an attempt of this test. */
export type JoinAttempts = (rows: readonly FoundTest[]) => FoundTest;

/** For tools whose last entry describes the whole test. */
export const pickLastTest: JoinAttempts = (rows) => {
  const last = rows.at(-1);
  if (!last) throw new Error('A test needs at least one entry in the report, so that its attempts can be merged');
  return last;
};

export const NO_OUTPUT: AttemptEvidence = { steps: [], stdout: [], stderr: [] };
