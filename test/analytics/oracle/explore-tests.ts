/** Computes the expected response of `GET /tests/{projectId}`, without paging. */
import { type Direction, ordered, type Value } from './order.ts';
import { ownTags, type Question, type TestExecution, testExecutions } from './selection.ts';
import type { Outcome, SentRun, SentTest } from './sent.ts';
import { type MetricSettings, type TestMetrics, testMetrics } from './test-metrics.ts';

interface WantedAnnotation {
  readonly type: string;
  readonly description?: string | readonly string[] | null;
}

export interface TestsQuestion extends Question {
  readonly spec?: string;
  readonly title?: string;
  readonly states?: readonly Outcome[];
  readonly minExecutions?: number;
  readonly settings?: MetricSettings;
  readonly annotations?: readonly WantedAnnotation[];
  readonly order?: TestOrder;
  readonly dir?: Direction;
}

export interface TestRow {
  readonly title: string;
  readonly signature: string;
  readonly spec: string;
  readonly metrics: TestMetrics & Partial<Deltas>;
  readonly latestTag: readonly string[] | null;
  readonly lastSeen: string;
}

interface Deltas {
  readonly failureRateDelta: number | null;
  readonly flakinessRateDelta: number | null;
  readonly durationDelta: number | null;
}

const ORDERS = {
  title: ({ title }) => title,
  executions: ({ metrics }) => metrics.executions,
  failures: ({ metrics }) => metrics.failures,
  passes: ({ metrics }) => metrics.passes,
  flakiness: ({ metrics }) => metrics.flakinessRate,
  duration: ({ metrics }) => metrics.avgDurationMs,
  flakinessXSamples: ({ metrics }) => metrics.flakinessVolume,
  failRateXSamples: ({ metrics }) => metrics.failureVolume,
  durationXSamples: ({ metrics }) => metrics.durationVolume,
  failureRateDelta: ({ metrics }) => metrics.failureRateDelta ?? null,
  flakinessRateDelta: ({ metrics }) => metrics.flakinessRateDelta ?? null,
  durationDelta: ({ metrics }) => metrics.durationDelta ?? null,
} as const satisfies Record<string, (row: TestRow) => Value>;

type TestOrder = keyof typeof ORDERS;

export const TEST_ORDERS = Object.keys(ORDERS).filter((name): name is TestOrder => name in ORDERS);

/** Computes the rows of the response. `signatureOf` returns the signature of a test. */
export function exploreTests(
  runs: readonly SentRun[],
  question: TestsQuestion,
  signatureOf: (spec: string, title: readonly string[]) => string,
): TestRow[] {
  const { order = 'title', dir = 'desc', minExecutions = 0 } = question;
  const { from, to } = question.period;
  const now = testsIn(runs, question);
  const before = testsIn(runs, { ...question, period: { from: from - (to - from), to: from } });
  const rows: TestRow[] = [];
  const { states = [], settings = {} } = question;
  const counted = (found: readonly TestExecution[] = []) =>
    found.filter(({ test }) => states.length === 0 || states.includes(test.outcome));
  for (const [key, found] of now) {
    if (counted(found).length === 0) continue;
    const row = rowOf(found, counted(found), settings, signatureOf);
    const earlier = testMetrics(counted(before.get(key)), settings);
    const deltas = order.endsWith('Delta') ? deltasOf(row.metrics, earlier) : {};
    if (row.metrics.executions >= minExecutions) rows.push({ ...row, metrics: { ...row.metrics, ...deltas } });
  }
  return ordered(rows, dir, (row) => [ORDERS[order](row), row.title, row.signature]);
}

/** The matching executions by spec file and title. */
function testsIn(runs: readonly SentRun[], question: TestsQuestion): Map<string, TestExecution[]> {
  const found = testExecutions(runs, question).filter((one) => isAsked(one, question));
  return Map.groupBy(found, ({ instance, test }) => JSON.stringify([instance.spec, ...test.title]));
}

function isAsked({ instance, test }: TestExecution, { spec, title, annotations }: TestsQuestion): boolean {
  const contains = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());
  if (spec !== undefined && !contains(instance.spec, spec)) return false;
  if (title !== undefined && !contains(test.title.join(' > '), title)) return false;
  return annotations === undefined || annotations.length === 0 || annotations.some((one) => isAnnotated(test, one));
}

function isAnnotated({ annotations }: SentTest, { type, description }: WantedAnnotation): boolean {
  const ofType = annotations.filter((annotation) => annotation.type === type);
  if (description === undefined || description === null) return ofType.length > 0;
  const wanted = [description].flat();
  return ofType.some((annotation) => annotation.description !== null && wanted.includes(annotation.description));
}

/**
 * The row of one test. `found` contains all of its executions, and `counted` only those that `test_state[]` selects.
 * The latest execution must have the same own tags and annotations as a counted execution. If the own tags differ
 * between the groups of the latest run, the row shows the list of tags whose text sorts first.
 */
function rowOf(
  found: readonly TestExecution[],
  counted: readonly TestExecution[],
  settings: MetricSettings,
  signatureOf: (spec: string, title: readonly string[]) => string,
): TestRow {
  const alike = found.filter((one) => counted.some((other) => isAlike(one, other)));
  const latest = alike.reduce((one, other) => (isLater(other, one) ? other : one));
  const { title } = latest.test;
  const tags = ownTags(latest);
  return {
    title: title.join(' > '),
    signature: signatureOf(latest.instance.spec, title),
    spec: latest.instance.spec,
    metrics: testMetrics(counted, settings),
    latestTag: tags.length === 0 ? null : [...new Set(tags)].sort(),
    lastSeen: new Date(latest.run.createdAt).toISOString(),
  };
}

const isAlike = (one: TestExecution, other: TestExecution): boolean =>
  JSON.stringify([ownTags(one), one.test.annotations]) === JSON.stringify([ownTags(other), other.test.annotations]);

const isLater = (one: TestExecution, other: TestExecution): boolean =>
  one.run.createdAt === other.run.createdAt ? tagsText(one) < tagsText(other) : one.run.createdAt > other.run.createdAt;

const tagsText = (one: TestExecution): string => JSON.stringify(ownTags(one).sort());

const deltasOf = (now: TestMetrics, before: TestMetrics): Deltas => {
  const change = (value: (metrics: TestMetrics) => number) =>
    before.executions === 0 ? null : value(now) - value(before);
  return {
    failureRateDelta: change(({ failureRate }) => failureRate),
    flakinessRateDelta: change(({ flakinessRate }) => flakinessRate),
    durationDelta: change(({ avgDurationMs }) => avgDurationMs),
  };
};
