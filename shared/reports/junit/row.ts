/** A testcase element with its children, as any tool may write it. */

export interface JunitSuite {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly parent: JunitSuite | null;
  /** Properties of the suite. Some tools write their version here. */
  readonly properties: Map<string, string>;
}

export type ProblemKind =
  | 'failure'
  | 'error'
  | 'skipped'
  | 'rerunFailure'
  | 'rerunError'
  | 'flakyFailure'
  | 'flakyError';

/** A child element, such as `failure` or `skipped`, that says how an execution ended. */
export interface JunitProblem {
  readonly kind: ProblemKind;
  readonly message: string | null;
  readonly type: string;
  readonly text: string;
  /** Reruns (`rerunFailure`, `flakyFailure`) have a stack, output and times of their own. */
  readonly stackTrace: string;
  readonly out: string;
  readonly err: string;
  readonly timestamp: string | undefined;
  readonly time: string | undefined;
}

export interface JunitRow {
  readonly attributes: ReadonlyMap<string, string>;
  readonly suite: JunitSuite | null;
  readonly problems: readonly JunitProblem[];
  readonly properties: readonly (readonly [string, string])[];
  readonly out: string;
  readonly err: string;
  /** Whether the file ended inside the element. */
  readonly cut: boolean;
}

export const junitAttribute = (row: Pick<JunitRow, 'attributes'>, name: string): string =>
  row.attributes.get(name) ?? '';

const BAD: ReadonlySet<ProblemKind> = new Set(['failure', 'error']);
const RERUN: ReadonlySet<ProblemKind> = new Set(['rerunFailure', 'rerunError']);
const FLAKY: ReadonlySet<ProblemKind> = new Set(['flakyFailure', 'flakyError']);

export const failuresOf = (row: JunitRow): JunitProblem[] => row.problems.filter(({ kind }) => BAD.has(kind));
export const rerunsOf = (row: JunitRow): JunitProblem[] => row.problems.filter(({ kind }) => RERUN.has(kind));
export const flakesOf = (row: JunitRow): JunitProblem[] => row.problems.filter(({ kind }) => FLAKY.has(kind));
export const skipOf = (row: JunitRow): JunitProblem | undefined => row.problems.find(({ kind }) => kind === 'skipped');

/** The suites around a row, the outermost first. */
export function suitesOf(row: Pick<JunitRow, 'suite'>): JunitSuite[] {
  const suites: JunitSuite[] = [];
  for (let suite = row.suite; suite; suite = suite.parent) suites.unshift(suite);
  return suites;
}
