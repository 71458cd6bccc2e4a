/** Computes the expected response of `GET /errors/{projectId}`, without paging. */
import { displayError } from './judgement.ts';
import { compareValues, type Direction, ordered, type Value } from './order.ts';
import { type Question, type TestExecution, testExecutions } from './selection.ts';
import type { SentError, SentRun } from './sent.ts';

export const ERROR_KEYS = ['message', 'target', 'action', 'category'] as const;
export type ErrorKey = (typeof ERROR_KEYS)[number];

export interface ErrorsQuestion extends Question {
  readonly target?: string;
  readonly message?: string;
  readonly action?: string;
  readonly category?: string;
  readonly groupBy?: readonly ErrorKey[];
  readonly order?: 'count' | 'tests' | 'branches' | 'error';
  readonly dir?: Direction;
}

export type ErrorRow = Readonly<Partial<Record<ErrorKey, string | null>>> & {
  readonly count: number;
  readonly tests: number;
  readonly branches: number;
  readonly runs: number;
  readonly firstSeen: string;
  readonly lastSeen: string;
};

interface Occurrence extends TestExecution {
  readonly error: SentError;
}

export function exploreErrors(runs: readonly SentRun[], question: ErrorsQuestion): ErrorRow[] {
  const { order = 'count', dir = 'desc' } = question;
  const keys = keysOf(question);
  const rows = [...byKeys(occurrences(runs, question), keys).values()].map((found) => rowOf(found, keys));
  const [first = 'message'] = keys;
  const value = (row: ErrorRow): Value => (order === 'error' ? (row[first] ?? null) : row[order]);
  return ordered(rows, dir, (row) => [value(row), ...keys.map((key) => row[key] ?? null)]);
}

const keysOf = ({ groupBy = [] }: ErrorsQuestion): readonly ErrorKey[] => (groupBy.length === 0 ? ERROR_KEYS : groupBy);

/** The failed or flaky executions whose error matches the question and has the first property of `groupBy`. */
function occurrences(runs: readonly SentRun[], question: ErrorsQuestion): Occurrence[] {
  const [first = 'message'] = keysOf(question);
  return testExecutions(runs, question).flatMap((execution) => {
    const error = displayError(execution.test);
    return error !== null && error[first] !== null && isAsked(error, question) ? [{ ...execution, error }] : [];
  });
}

function isAsked(error: SentError, { target, message, action, category }: ErrorsQuestion): boolean {
  const has = (text: string | null, part: string | undefined) =>
    part === undefined || Boolean(text?.toLowerCase().includes(part.toLowerCase()));
  if (!has(error.target, target) || !has(error.message, message) || !has(error.action, action)) return false;
  return category === undefined || error.category.toLowerCase() === category.toLowerCase();
}

const byKeys = (found: readonly Occurrence[], keys: readonly ErrorKey[]): Map<string, Occurrence[]> =>
  Map.groupBy(found, ({ error }) => JSON.stringify(keys.map((key) => error[key])));

const distinct = (values: readonly unknown[]): number => new Set(values.map((value) => JSON.stringify(value))).size;

const testsOf = (found: readonly Occurrence[]): number =>
  distinct(found.map(({ instance, test }) => [instance.spec, ...test.title]));

/** The number of branches. Runs without a branch count as one branch. */
const branchesOf = (found: readonly Occurrence[]): number => distinct(found.map(({ run }) => run.branch));

function rowOf(found: readonly Occurrence[], keys: readonly ErrorKey[]): ErrorRow {
  const [one] = found;
  const times = found.map(({ run }) => run.createdAt);
  return {
    ...Object.fromEntries(keys.map((key) => [key, one?.error[key] ?? null])),
    count: found.length,
    tests: testsOf(found),
    branches: branchesOf(found),
    runs: distinct(found.map(({ run }) => run.runId)),
    firstSeen: new Date(Math.min(...times)).toISOString(),
    lastSeen: new Date(Math.max(...times)).toISOString(),
  };
}

const MEASURES = { occurrence: (found: readonly Occurrence[]) => found.length, test: testsOf, branch: branchesOf };
const DAY = 24 * 60 * 60_000;

export type Measure = keyof typeof MEASURES;

/** For each day of the period, the values of the rows that have the highest values over the whole period. */
export function errorTimeline(runs: readonly SentRun[], question: ErrorsQuestion, metric: Measure, topN: number) {
  const keys = keysOf(question);
  const measure = MEASURES[metric];
  const all = occurrences(runs, question);
  const keysIn = (found: readonly Occurrence[]) => keys.map((key) => found[0]?.error[key] ?? null);
  const top = [...byKeys(all, keys).values()]
    .sort((one, other) => measure(other) - measure(one) || compareLists(keysIn(one), keysIn(other)))
    .slice(0, topN);
  const { from, to } = question.period;
  const timeline: Record<string, object[]> = {};
  for (let day = Math.floor(from / DAY) * DAY; day < to; day += DAY) {
    timeline[day] = top.map((found) => ({
      ...Object.fromEntries(keys.map((key) => [key, found[0]?.error[key] ?? null])),
      value: measure(found.filter(({ run }) => run.createdAt >= day && run.createdAt < day + DAY)),
    }));
  }
  return timeline;
}

function compareLists(one: readonly Value[], other: readonly Value[]): number {
  for (const [place, value] of one.entries()) {
    const difference = compareValues(value, other[place] ?? null, 'asc');
    if (difference !== 0) return difference;
  }
  return 0;
}
