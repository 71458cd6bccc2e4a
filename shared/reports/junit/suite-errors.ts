/**
 * Errors of a suite that none of its rows shows. There are two kinds: an `error` or `failure` element directly below the
 * suite, and an `errors` counter above the number of all failures in the suite, as after a request of Newman that could
 * not connect, an `afterAll` of Karma, or a class that could not be loaded. The run of such a report fails.
 *
 * All other counters are ignored, because trimmed files and many writers have wrong ones. A `failures` counter above the
 * number of failures only causes a warning: some writers count failed attempts of tests that passed in the end.
 */
import { hasFailed, type JunitProblem, type JunitRow, type JunitSuite } from './row.ts';

/** A suite that has been read completely. */
export interface ReadSuite {
  /** The name and attributes of the suite. */
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
export const failuresIn = (row: JunitRow): number =>
  Math.max(row.problems.filter(({ kind }) => kind !== 'skipped').length, hasFailed(row) ? 1 : 0);

export function errorsOfSuite({ suite, problems, out, err, failures, unseen }: ReadSuite): SuiteErrors {
  const shown = problems.map((problem) => named(suite, textOf(problem)));
  const known = failures + shown.length;
  const counted = countOf(suite, 'errors');
  const hidden = counted > known ? [named(suite, outputOf(err) || outputOf(out) || unknownErrors(counted))] : [];
  const all = Math.max(known, counted);
  const failed = countOf(suite, 'failures');
  return {
    errors: [...shown, ...hidden],
    warning: failed > all + unseen ? named(suite, warningText(failed, all)) : undefined,
    failures: all,
    unseen: Math.max(unseen, failed - all),
  };
}

const warningText = (counted: number, shown: number): string =>
  `The report counts ${counted} ${counted === 1 ? 'failure' : 'failures'}, but shows ${shown}. Check that it lists all tests`;
const unknownErrors = (counted: number): string =>
  counted === 1 ? 'An error that the report does not describe' : `${counted} errors that the report does not describe`;

const countOf = ({ attributes }: ReadSuite['suite'], counter: 'errors' | 'failures'): number => {
  const text = attributes.get(counter) ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
};

const named = ({ name }: ReadSuite['suite'], text: string): string => (name === '' ? text : `${name}: ${text}`);

function textOf({ message, type, text, stackTrace }: JunitProblem): string {
  const stack = (stackTrace || text).trim();
  const said = message?.trim() ?? '';
  if (stack.includes(said)) return stack || type || 'Error without a message';
  return stack === '' ? said : `${said}\n${stack}`;
}

/** Writers separate and underline the outputs of several executions. */
const outputOf = (output: string): string =>
  output
    .split('\n')
    .filter((line) => !LINE.test(line))
    .join('\n')
    .trim();
const LINE = /^[-=]+\r?$/;
