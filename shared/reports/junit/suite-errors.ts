/**
 * Errors of a suite that none of its rows shows. There are two kinds: an `error` or `failure` element directly below the
 * suite, and an `errors` counter above the number of all failures in the suite, as after a request of Newman that could
 * not connect, an `afterAll` of Karma, or a class that could not be loaded. The run of such a report fails.
 *
 * All other counters are ignored, because trimmed files and many writers have wrong ones. A `failures` counter above the
 * number of failures only causes a warning: some writers count failed attempts of tests that passed in the end.
 */
import { hasFailed, type JunitProblem, type JunitRow, type JunitSuite } from './row.ts';

interface ReadSuite {
  readonly suite: Pick<JunitSuite, 'name' | 'attributes'>;
  /** The `error` and `failure` elements directly below the suite. */
  readonly problems: readonly JunitProblem[];
  readonly out: string;
  readonly err: string;
  /** The number of failures in the rows of the suite and of its nested suites, and of errors of nested suites. */
  readonly failures: number;
  /** The number of failures of nested suites that only their counters show. */
  readonly unseen: number;
}

export interface SuiteErrors {
  readonly errors: readonly string[];
  readonly warning: string | undefined;
  /** The number of failures in the suite, including those that this function found. */
  readonly failures: number;
  readonly unseen: number;
}

/** The number of failures that a row shows, including those of attempts that failed before the test passed. */
export const countFailures = (row: JunitRow): number =>
  Math.max(row.problems.filter(({ kind }) => kind !== 'skipped').length, hasFailed(row) ? 1 : 0);

export function findSuiteErrors({ suite, problems, out, err, failures, unseen }: ReadSuite): SuiteErrors {
  const shownErrors = problems.map((problem) => prefixSuiteName(suite, formatProblem(problem)));
  const knownCount = failures + shownErrors.length;
  const errorCount = readCounter(suite, 'errors');
  const hiddenErrors =
    errorCount > knownCount
      ? [prefixSuiteName(suite, cleanOutput(err) || cleanOutput(out) || describeUnknownErrors(errorCount))]
      : [];
  const all = Math.max(knownCount, errorCount);
  const failureCount = readCounter(suite, 'failures');
  return {
    errors: [...shownErrors, ...hiddenErrors],
    warning: failureCount > all + unseen ? prefixSuiteName(suite, formatWarning(failureCount, all)) : undefined,
    failures: all,
    unseen: Math.max(unseen, failureCount - all),
  };
}

const formatWarning = (failureCount: number, shownCount: number): string =>
  `The report counts ${failureCount} ${failureCount === 1 ? 'failure' : 'failures'}, but shows ${shownCount}. Check that it lists all tests`;
const describeUnknownErrors = (errorCount: number): string =>
  errorCount === 1
    ? 'An error that the report does not describe'
    : `${errorCount} errors that the report does not describe`;

const readCounter = ({ attributes }: ReadSuite['suite'], counter: 'errors' | 'failures'): number => {
  const text = attributes.get(counter) ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
};

const prefixSuiteName = ({ name }: ReadSuite['suite'], text: string): string =>
  name === '' ? text : `${name}: ${text}`;

function formatProblem({ message, type, text, stackTrace }: JunitProblem): string {
  const stack = (stackTrace || text).trim();
  const messageText = message?.trim() ?? '';
  if (stack.includes(messageText)) return stack || type || 'Error without a message';
  return stack === '' ? messageText : `${messageText}\n${stack}`;
}

/** Writers separate and underline the outputs of several executions. */
const cleanOutput = (output: string): string =>
  output
    .split('\n')
    .filter((line) => !LINE.test(line))
    .join('\n')
    .trim();
const LINE = /^[-=]+\r?$/;
