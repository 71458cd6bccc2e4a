/** The execution since which a test fails on a branch without a break. */
import type { ShownExecution } from './latest-executions.ts';

export interface FailingStreak {
  /** The first of the failures. Its commit may have broken the test. */
  readonly since: ShownExecution;
  /** The number of failures without a pass between them. */
  readonly length: number;
  /** Whether earlier executions were not read. */
  readonly mayBeEarlier: boolean;
}

/** `executions`: newest first. An execution that did not run tells nothing. */
export function failingStreak(executions: readonly ShownExecution[], branch: string): FailingStreak | undefined {
  const own = executions.filter(
    ({ commit, status }) => commit.branch === branch && (status === 'passed' || status === 'failed'),
  );
  const end = own.findIndex(({ status }) => status === 'passed');
  const failures = end === -1 ? own : own.slice(0, end);
  const since = failures.at(-1);
  return since && { since, length: failures.length, mayBeEarlier: end === -1 };
}
