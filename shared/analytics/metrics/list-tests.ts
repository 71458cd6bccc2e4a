/** §4.4.5 Builds the rows of the tests explorer: filtered and sorted. */

import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { contains } from '#shared/results/contains.ts';
import { matchesAnnotations } from '#shared/results/executions/test-results-filter.ts';
import type { SeriesTotals, Totals } from '../read-model.ts';
import { compareByCodePoints, sortRows } from './order.ts';
import { computeDeltas, computeTestMetrics, type TestMetrics } from './test-metrics.ts';
import type { TestSummary, TestsQuery } from './tests-wire.ts';
import { addTotals, filterOutcomes, OUTCOMES, sumOutcomes } from './totals.ts';

export type TestsOptions = Pick<
  TestsQuery,
  'spec' | 'title' | 'order' | 'dir' | 'min_executions' | 'test_state' | 'metric_settings' | 'annotations'
>;

const TITLE_SEPARATOR = ' > ';

/** If `before` has the series of the preceding period, the metrics include the changes since then. */
export function listTests(
  series: readonly SeriesTotals[],
  before: readonly SeriesTotals[] | undefined,
  options: TestsOptions,
): TestSummary[] {
  const testsBefore = before && sumSeriesByTest(before, options);
  const rows = [...sumSeriesByTest(series, options).values()].flatMap((test) => {
    const metrics = computeTestMetrics(test.totals, options.metric_settings);
    if (metrics.executions < options.min_executions) return [];
    const past = testsBefore?.get(test.latest.signature);
    const deltas = before
      ? computeDeltas(metrics, past && computeTestMetrics(past.totals, options.metric_settings))
      : {};
    return toTestSummary(test, { ...metrics, ...deltas });
  });
  const { order } = options;
  const by = ({ title, metrics }: TestSummary) => (order === 'title' ? title : (metrics[METRIC_OF[order]] ?? null));
  return sortRows(rows, { by, direction: options.dir, thenBy: [({ title }) => title, ({ signature }) => signature] });
}

/** Such an order needs the metrics of the preceding period. */
export const isDeltaOrder = (order: TestsOptions['order']): boolean => order.endsWith('Delta');

/** Whether the test also ran in the preceding period, so that its change is known. */
export const hasChange = (order: TestsOptions['order'], { metrics }: Pick<TestSummary, 'metrics'>): boolean =>
  order !== 'title' && (metrics[METRIC_OF[order]] ?? null) !== null;

const METRIC_OF: Readonly<Record<Exclude<TestsOptions['order'], 'title'>, keyof TestMetrics>> = {
  failures: 'failures',
  passes: 'passes',
  flakiness: 'flakinessRate',
  executions: 'executions',
  duration: 'avgDurationMs',
  flakinessXSamples: 'flakinessVolume',
  failRateXSamples: 'failureVolume',
  durationXSamples: 'durationVolume',
  flakinessRateDelta: 'flakinessRateDelta',
  failureRateDelta: 'failureRateDelta',
  durationDelta: 'durationDelta',
};

interface TestTotals {
  /** The series that contains the latest execution of the test. */
  readonly latest: SeriesTotals;
  readonly totals: Totals;
}

function sumSeriesByTest(allSeries: readonly SeriesTotals[], options: TestsOptions): Map<string, TestTotals> {
  const tests = new Map<string, TestTotals>();
  for (const series of allSeries) {
    if (!isMatchingSeries(series, options)) continue;
    const totals = options.test_state.length > 0 ? filterOutcomes(series.totals, options.test_state) : series.totals;
    if (sumOutcomes(totals.executions, OUTCOMES) === 0) continue;
    const testTotals = tests.get(series.signature);
    tests.set(series.signature, {
      latest: testTotals ? pickLaterSeries(testTotals.latest, series) : series,
      totals: testTotals ? addTotals(testTotals.totals, totals) : totals,
    });
  }
  return tests;
}

const isMatchingSeries = (series: SeriesTotals, { spec, title, annotations }: TestsOptions): boolean =>
  (spec === undefined || contains(series.specFile, spec)) &&
  (title === undefined || contains(series.title.join(TITLE_SEPARATOR), title)) &&
  matchesAnnotations(annotations, series.annotations);

/** Breaks ties by tags: groups of a run may tag a test differently, and their order must not change the result. */
function pickLaterSeries(one: SeriesTotals, other: SeriesTotals): SeriesTotals {
  if (one.lastSeen !== other.lastSeen) return one.lastSeen > other.lastSeen ? one : other;
  return compareByCodePoints(formatTags(one), formatTags(other)) <= 0 ? one : other;
}

const formatTags = ({ tags }: SeriesTotals): string => JSON.stringify(tags.toSorted(compareByCodePoints));

const toTestSummary = ({ latest }: TestTotals, metrics: TestMetrics): TestSummary => ({
  title: latest.title.join(TITLE_SEPARATOR),
  titlePath: [...latest.title],
  signature: latest.signature,
  spec: latest.specFile,
  metrics,
  latestTag: latest.tags.length > 0 ? latest.tags.toSorted(compareByCodePoints) : null,
  lastSeen: formatIsoTime(latest.lastSeen),
});
