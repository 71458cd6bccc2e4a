/** A testcase element with its children, as any tool may write it. */

export interface JunitSuite {
  readonly name: string;
  /** How many suites began before it in the file. */
  readonly number: number;
  readonly attributes: ReadonlyMap<string, string>;
  readonly parent: JunitSuite | null;
  /** The file that this suite names, or else the latest suite before it in the report. */
  readonly latestFile: string;
  /** Properties of the suite. Some tools write their version here. */
  readonly properties: Map<string, string>;
  /** The time of the tests of the suite that have been read, in milliseconds. */
  readonly read: { milliseconds: number };
}

const KINDS = ['failure', 'error', 'skipped', 'rerunFailure', 'rerunError', 'flakyFailure', 'flakyError'] as const;
export type ProblemKind = (typeof KINDS)[number];

export const findProblemKind = (element: string): ProblemKind | undefined => KINDS.find((kind) => kind === element);

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
  readonly name: string;
  readonly classname: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly suite: JunitSuite | null;
  readonly problems: readonly JunitProblem[];
  readonly properties: readonly (readonly [string, string])[];
  readonly out: string;
  readonly err: string;
  /** Whether the file ended inside the element. */
  readonly cut: boolean;
}

export const getJunitAttribute = (row: JunitRow, name: string): string => row.attributes.get(name) ?? '';

const makeProblemFilter =
  (...kinds: readonly ProblemKind[]) =>
  ({ problems }: JunitRow): JunitProblem[] =>
    problems.filter(({ kind }) => kinds.includes(kind));

export const listFailures = makeProblemFilter('failure', 'error');
export const listReruns = makeProblemFilter('rerunFailure', 'rerunError');
export const listFlakes = makeProblemFilter('flakyFailure', 'flakyError');
export const findSkip = (row: JunitRow): JunitProblem | undefined =>
  row.problems.find(({ kind }) => kind === 'skipped');

/** Words for a failed test. A test that ran out of time or was aborted has not passed. */
const FAILED: ReadonlySet<string> = new Set([
  'fail',
  'failed',
  'failure',
  'error',
  'errored',
  'broken',
  'timedout',
  'timeout',
  'aborted',
  'crashed',
]);

const isFailedAttribute = (row: JunitRow, name: string): boolean =>
  FAILED.has(getJunitAttribute(row, name).toLowerCase());

/** Whether the row failed, by its elements, or else by an attribute that says so. */
export function hasFailed(row: JunitRow): boolean {
  if (listFailures(row).length > 0 || listReruns(row).length > 0) return true;
  if (findSkip(row) || listFlakes(row).length > 0) return false;
  return isFailedAttribute(row, 'status') || isFailedAttribute(row, 'result');
}

/** The suites around a row, the outermost first. */
export function listSuites(row: JunitRow): JunitSuite[] {
  const suites: JunitSuite[] = [];
  for (let suite = row.suite; suite; suite = suite.parent) suites.unshift(suite);
  return suites;
}
