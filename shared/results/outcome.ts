/** §2.1, §3, §6 What a reported test is counted as. */
import type { CountedTest, RecordedTestOutcome } from '../outcomes.ts';
import type { Annotation, Attempt } from '../resources/attempt.ts';
import type { TestRecord } from '../resources/test-record.ts';

const SKIP_ANNOTATIONS: ReadonlySet<string> = new Set(['skip', 'fixme']);

type Reported = Pick<TestRecord, 'reported' | 'expectedStatus' | 'annotations' | 'attempts'>;

const isDeclaredSkip = ({ expectedStatus, annotations }: Pick<Reported, 'expectedStatus' | 'annotations'>): boolean =>
  expectedStatus === 'skipped' || annotations.some(({ type }) => SKIP_ANNOTATIONS.has(type));

/**
 * The client's final outcome is authoritative but for one case: the reporter ends a test that nobody meant to skip as
 * `pending`, too, when a hook or a serial predecessor failed. §6 calls that one `skipped`.
 */
export function streamedOutcome(test: Reported): RecordedTestOutcome {
  const { outcome } = test.reported;
  if (outcome === 'pending' && !isDeclaredSkip(test)) return 'skipped';
  return outcome;
}

/** The first message names what was declared; skips and expected failures declared while running stand in the annotations. */
export function expectedStatusOf(test: Reported): string {
  if (test.reported.outcome === 'pending' && isDeclaredSkip(test)) return 'skipped';
  const declaredToFail = (annotations: readonly Annotation[]) => annotations.some(({ type }) => type === 'fail');
  return declaredToFail(test.annotations) ? 'failed' : test.expectedStatus;
}

export const retriesOf = (attempts: readonly Attempt[]): number => Math.max(0, attempts.length - 1);

export const countedOf = (test: Reported): CountedTest => ({
  outcome: streamedOutcome(test),
  flaky: test.reported.flaky,
  retries: retriesOf(test.attempts),
});
