/** §4.4.5 Builds the rows of the tests explorer: filtered and sorted. */

import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { contains } from '#shared/results/contains.ts';
import { matchesAnnotations } from '#shared/results/test-results-filter.ts';
import type { SeriesTotals, Totals } from '../read-model.ts';
import { byCodePoints, sorted } from './order.ts';
import { deltasOf, type TestMetrics, testMetrics } from './test-metrics.ts';
import type { TestSummary, TestsQuery } from './tests-wire.ts';
import { added, OUTCOMES, sumOf, withOutcomes } from './totals.ts';

export type TestsOptions = Pick<
  TestsQuery,
  'spec' | 'title' | 'order' | 'dir' | 'min_executions' | 'test_state' | 'metric_settings' | 'annotations'
>;

const TITLE_SEPARATOR = ' > ';

/**
 * Lists the tests with their metrics. If `before` has the series of the preceding period, the metrics include the
 * changes since then.
 */
export function listTests(
  series: readonly SeriesTotals[],
  before: readonly SeriesTotals[] | undefined,
  options: TestsOptions,
): TestSummary[] {
  const earlier = before && testsOf(before, options);
  const rows = [...testsOf(series, options).values()].flatMap((test) => {
    const metrics = testMetrics(test.totals, options.metric_settings);
    if (metrics.executions < options.min_executions) return [];
    const past = earlier?.get(test.latest.signature);
    const deltas = before ? deltasOf(metrics, past && testMetrics(past.totals, options.metric_settings)) : {};
    return rowOf(test, { ...metrics, ...deltas });
  });
  const { order } = options;
  const by = ({ title, metrics }: TestSummary) => (order === 'title' ? title : (metrics[METRIC_OF[order]] ?? null));
  return sorted(rows, { by, direction: options.dir, thenBy: [({ title }) => title, ({ signature }) => signature] });
}

/** Whether this sort order needs the metrics of the preceding period. */
export const needsEarlier = (order: TestsOptions['order']): boolean => order.endsWith('Delta');

/** The metric that each order sorts by. */
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

/** Adds up the matching series of each test, by signature. */
function testsOf(series: readonly SeriesTotals[], options: TestsOptions): Map<string, TestTotals> {
  const tests = new Map<string, TestTotals>();
  for (const one of series) {
    if (!matches(one, options)) continue;
    const totals = options.test_state.length > 0 ? withOutcomes(one.totals, options.test_state) : one.totals;
    if (sumOf(totals.executions, OUTCOMES) === 0) continue;
    const known = tests.get(one.signature);
    tests.set(one.signature, {
      latest: known ? later(known.latest, one) : one,
      totals: known ? added(known.totals, totals) : totals,
    });
  }
  return tests;
}

const matches = (one: SeriesTotals, { spec, title, annotations }: TestsOptions): boolean =>
  (spec === undefined || contains(one.specFile, spec)) &&
  (title === undefined || contains(one.title.join(TITLE_SEPARATOR), title)) &&
  matchesAnnotations(annotations, one.annotations);

/**
 * Returns the series with the later execution. Breaks ties by tags, because the groups of one run may tag a test
 * differently, and the result must not depend on the order of the groups.
 */
function later(one: SeriesTotals, other: SeriesTotals): SeriesTotals {
  if (one.lastSeen !== other.lastSeen) return one.lastSeen > other.lastSeen ? one : other;
  return byCodePoints(tagsText(one), tagsText(other)) <= 0 ? one : other;
}

const tagsText = ({ tags }: SeriesTotals): string => JSON.stringify(tags.toSorted(byCodePoints));

const rowOf = ({ latest }: TestTotals, metrics: TestMetrics): TestSummary => ({
  title: latest.title.join(TITLE_SEPARATOR),
  titlePath: [...latest.title],
  signature: latest.signature,
  spec: latest.specFile,
  metrics,
  latestTag: latest.tags.length > 0 ? latest.tags.toSorted(byCodePoints) : null,
  lastSeen: formatIsoTime(latest.lastSeen),
});
