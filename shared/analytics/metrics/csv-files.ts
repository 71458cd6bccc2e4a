/** Builds CSV files from the lists of the analytics API. */
import { type Content, csv } from '#shared/engine/http/content.ts';
import { type CsvColumn, columnOf, columnsOf, csvText } from '#shared/engine/http/csv.ts';
import { isoTime } from '#shared/engine/http/date-time.ts';
import type { ErrorRow, ErrorsQuery } from './errors-wire.ts';
import type { InsightMetrics, Insights } from './insights-wire.ts';
import { METRIC_LIMITS } from './limits.ts';
import type { SpecFileRow } from './spec-files-wire.ts';
import type { TestSummary } from './tests-wire.ts';

/** The file name and the header `x-total-count` tell the client whether rows were left out. */
function file<Row>(subject: string, columns: readonly CsvColumn<Row>[], rows: readonly Row[]): Content {
  const { csvRows } = METRIC_LIMITS;
  const part = rows.length > csvRows ? `-first-${csvRows}-of-${rows.length}` : '';
  return csv(csvText(columns, rows.slice(0, csvRows)), {
    name: `${subject}${part}.csv`,
    headers: { 'x-total-count': String(rows.length) },
  });
}

const TEST_METRICS = [
  'executions',
  'passes',
  'failures',
  'ignored',
  'flaky',
  'failureRate',
  'flakinessRate',
  'avgDurationMs',
  'failureVolume',
  'flakinessVolume',
  'durationVolume',
  'failureRateDelta',
  'flakinessRateDelta',
  'durationDelta',
] as const;

const TESTS: readonly CsvColumn<TestSummary>[] = [
  ...columnsOf('title', 'spec', 'signature'),
  ...TEST_METRICS.map((name) => columnOf<TestSummary>(name, ({ metrics }) => metrics[name] ?? null)),
  columnOf('latestTag', ({ latestTag }) => latestTag?.join(' ') ?? null),
  ...columnsOf('lastSeen'),
];

export const testsFile = (rows: readonly TestSummary[]): Content => file('tests', TESTS, rows);

const SPEC_METRICS = [
  'overallExecutions',
  'avgDuration',
  'failedExecutions',
  'flakyExecutions',
  'timeoutExecutions',
  'suiteSize',
  'fullyReported',
  'failureRate',
  'timeoutRate',
  'flakeRate',
] as const;

const SPEC_FILES: readonly CsvColumn<SpecFileRow>[] = [
  ...columnsOf('spec', 'signature'),
  ...SPEC_METRICS.map((name) => columnOf<SpecFileRow>(name, ({ metrics }) => metrics[name])),
];

export const specFilesFile = (rows: readonly SpecFileRow[]): Content => file('spec-files', SPEC_FILES, rows);

/** A CSV file of errors. Its first columns are those that `group_by[]` names, in the same order. */
export const errorsFile = (rows: readonly ErrorRow[], { group_by }: Pick<ErrorsQuery, 'group_by'>): Content =>
  file(
    'errors',
    [
      ...group_by.map((name) => columnOf<ErrorRow>(name, (row) => row[name] ?? null)),
      ...columnsOf('count', 'tests', 'branches', 'firstSeen', 'lastSeen'),
    ],
    rows,
  );

type Bucket = readonly [start: string, metrics: InsightMetrics];

const RUN_METRICS = ['total', 'completed', 'cancelled', 'timeouts', 'failed', 'passed', 'avgDurationSeconds'] as const;
const TEST_COUNTS = ['total', 'failed', 'passed', 'pending', 'skipped', 'flaky'] as const;

const TIMELINE: readonly CsvColumn<Bucket>[] = [
  columnOf('start', ([start]) => isoTime(Number(start))),
  ...RUN_METRICS.map((name) => columnOf<Bucket>(`runs.${name}`, ([, { runs }]) => runs[name])),
  ...TEST_COUNTS.map((name) => columnOf<Bucket>(`tests.${name}`, ([, { tests }]) => tests[name])),
];

export const timelineFile = ({ results }: Insights): Content =>
  file('insights', TIMELINE, Object.entries(results.timeline));
