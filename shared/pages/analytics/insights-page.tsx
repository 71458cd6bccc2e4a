/** A project over time: its runs, their durations and their tests. */
import type { InsightMetrics, Insights } from '#shared/analytics/metrics/insights-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, numbers, wideNumbers } from '#shared/pages/design/data-table.tsx';
import { DurationChart } from '#shared/pages/design/duration-chart.tsx';
import { countText, dateText, durationText, FullTime, fullText, rateText } from '#shared/pages/design/format.tsx';
import { OutcomeChart } from '#shared/pages/design/outcome-chart.tsx';
import { type Here, hereWith } from '#shared/pages/shell/here.ts';
import { ARRIVAL, ListFilters, type ShownPeriod } from '#shared/pages/shell/list-filters.tsx';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

type Resolution = '1h' | '1d' | '1w';

interface Props {
  readonly at: Here & { readonly visit: ProjectVisit };
  readonly resolution: Resolution;
  readonly period: ShownPeriod;
  readonly results: Insights['results'];
}

interface Bucket extends InsightMetrics {
  readonly at: number;
}

export function InsightsPage({ at, resolution, period, results }: Props): Html {
  const buckets = Object.entries(results.timeline)
    .map(([start, metrics]) => ({ at: Number(start), ...metrics }))
    .sort((one, other) => one.at - other.at);
  return (
    <>
      <h1>Insights</h1>
      <Resolutions at={at} resolution={resolution} />
      <ListFilters at={at} period={period} own={[{ name: 'environments[]', label: 'Environment' }]} />
      <Overall {...results.overall} />
      {results.overall.runs.total === 0 ? (
        <p class="notice">No runs in this period match the filters. {ARRIVAL}</p>
      ) : (
        <Charts buckets={buckets} resolution={resolution} />
      )}
    </>
  );
}

const NAMES: Readonly<Record<Resolution, string>> = { '1h': 'Hours', '1d': 'Days', '1w': 'Weeks' };
const EACH: Readonly<Record<Resolution, string>> = { '1h': 'per hour', '1d': 'per day', '1w': 'per week' };
const RESOLUTIONS = ['1h', '1d', '1w'] as const;

const Resolutions = ({ at, resolution }: Pick<Props, 'at' | 'resolution'>): Html => (
  <nav aria-label="Resolution">
    <ul class="counts">
      {RESOLUTIONS.map((one) => (
        <li>
          <a href={hereWith(at, { resolution: one })} aria-current={one === resolution ? 'page' : undefined}>
            {NAMES[one]}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

const Overall = ({ runs, tests }: InsightMetrics): Html => (
  <dl class="facts">
    <div>
      <dt>Runs</dt>
      <dd>
        {countText(runs.total)}, {countText(runs.passed)} passed, {countText(runs.failed)} failed
        {runs.cancelled > 0 && `, ${countText(runs.cancelled)} cancelled`}
      </dd>
    </div>
    <div>
      <dt>Duration of complete runs</dt>
      <dd>{runs.completed === 0 ? '–' : durationText(runs.avgDurationSeconds * 1000)} on average</dd>
    </div>
    <div>
      <dt>Tests</dt>
      <dd>
        {countText(tests.total)} executions, {rateText(share(tests.failed + tests.skipped, tests.total))} failed,{' '}
        {rateText(share(tests.flaky, tests.total))} flaky
      </dd>
    </div>
  </dl>
);

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

const RUNS = [
  { outcome: 'failed', name: 'failed' },
  { outcome: 'passed', name: 'passed' },
] as const;
const TESTS = [
  { outcome: 'failed', name: 'failed' },
  { outcome: 'flaky', name: 'flaky' },
  { outcome: 'skipped', name: 'not run' },
] as const;

interface ChartsProps {
  readonly buckets: readonly Bucket[];
  readonly resolution: Resolution;
}

const Charts = ({ buckets, resolution }: ChartsProps): Html => (
  <>
    <h2>Runs {EACH[resolution]}</h2>
    <OutcomeChart
      caption={`Runs ${EACH[resolution]}`}
      parts={RUNS}
      buckets={buckets.map(({ at, runs }) => ({ name: nameOf(at, resolution), values: [runs.failed, runs.passed] }))}
    />
    <h2>Duration of runs</h2>
    <DurationChart title="Average duration of complete runs" points={durationsOf(buckets, resolution)} />
    <h2>Tests that failed, were flaky or did not run</h2>
    <OutcomeChart
      caption={`Test executions ${EACH[resolution]}`}
      parts={TESTS}
      buckets={buckets.map(({ at, tests }) => ({
        name: nameOf(at, resolution),
        values: [tests.failed, tests.flaky, tests.skipped],
      }))}
    />
    <Numbers buckets={buckets} resolution={resolution} />
  </>
);

const nameOf = (at: number, resolution: Resolution): string => (resolution === '1h' ? fullText(at) : dateText(at));

/** The durations over time. Leaves out buckets without a complete run, because they have no duration. */
const durationsOf = (buckets: readonly Bucket[], resolution: Resolution) =>
  buckets
    .filter(({ runs }) => runs.completed > 0)
    .map(({ at, runs }) => ({
      when: { name: nameOf(at, resolution) },
      duration: runs.avgDurationSeconds * 1000,
    }));

const Numbers = ({ buckets, resolution }: ChartsProps): Html => (
  <details>
    <summary>All numbers</summary>
    <DataTable
      label="All numbers"
      caption={`Runs and tests ${EACH[resolution]}, in UTC`}
      columns={[
        'From',
        ...numbers('Runs', 'Failed'),
        ...wideNumbers('Cancelled', 'Timed out', 'Duration', 'Tests'),
        ...numbers('Failed tests', 'Flaky'),
        ...wideNumbers('Skipped'),
      ]}
    >
      {buckets.map(({ at, runs, tests }) => (
        <tr>
          <th scope="row">{resolution === '1h' ? <FullTime at={at} /> : dateText(at)}</th>
          <td class="number">{runs.total}</td>
          <td class="number">{runs.failed}</td>
          <td class="number wide">{runs.cancelled}</td>
          <td class="number wide">{runs.timeouts}</td>
          <td class="number wide">{runs.completed === 0 ? '–' : durationText(runs.avgDurationSeconds * 1000)}</td>
          <td class="number wide">{tests.total}</td>
          <td class="number">{tests.failed}</td>
          <td class="number">{tests.flaky}</td>
          <td class="number wide">{tests.skipped}</td>
        </tr>
      ))}
    </DataTable>
  </details>
);
