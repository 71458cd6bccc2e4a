/** Builds CSV files from the lists of the analytics API. */
import { type Content, makeCsvContent } from '#shared/engine/http/content.ts';
import { type CsvColumn, formatCsv, makeColumn, makeColumns } from '#shared/engine/http/csv.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import type { ErrorRow, ErrorsQuery } from './errors-wire.ts';
import type { InsightMetrics, Insights } from './insights-wire.ts';
import { METRIC_LIMITS } from './limits.ts';
import type { SpecFileRow } from './spec-files-wire.ts';
import type { TestSummary } from './tests-wire.ts';

/** The file name and the header `x-total-count` tell the client whether rows were left out. */
function buildFile<Row>(subject: string, columns: readonly CsvColumn<Row>[], rows: readonly Row[]): Content {
  const { csvRows } = METRIC_LIMITS;
  const part = rows.length > csvRows ? `-first-${csvRows}-of-${rows.length}` : '';
  return makeCsvContent(formatCsv(columns, rows.slice(0, csvRows)), {
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
  ...makeColumns('title', 'spec', 'signature'),
  ...TEST_METRICS.map((name) => makeColumn<TestSummary>(name, ({ metrics }) => metrics[name] ?? null)),
  makeColumn('latestTag', ({ latestTag }) => latestTag?.join(' ') ?? null),
  ...makeColumns('lastSeen'),
];

export const buildTestsFile = (rows: readonly TestSummary[]): Content => buildFile('tests', TESTS, rows);

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
  ...makeColumns('spec', 'signature'),
  ...SPEC_METRICS.map((name) => makeColumn<SpecFileRow>(name, ({ metrics }) => metrics[name])),
];

export const buildSpecFilesFile = (rows: readonly SpecFileRow[]): Content => buildFile('spec-files', SPEC_FILES, rows);

/** The first columns are those that `group_by[]` names, in the same order. */
export const buildErrorsFile = (rows: readonly ErrorRow[], { group_by }: Pick<ErrorsQuery, 'group_by'>): Content =>
  buildFile(
    'errors',
    [
      ...group_by.map((name) => makeColumn<ErrorRow>(name, (row) => row[name] ?? null)),
      ...makeColumns('count', 'tests', 'branches', 'firstSeen', 'lastSeen'),
    ],
    rows,
  );

type Bucket = readonly [start: string, metrics: InsightMetrics];

const RUN_METRICS = ['total', 'completed', 'cancelled', 'timeouts', 'failed', 'passed', 'avgDurationSeconds'] as const;
const TEST_COUNTS = ['total', 'failed', 'passed', 'pending', 'skipped', 'flaky'] as const;

const TIMELINE: readonly CsvColumn<Bucket>[] = [
  makeColumn('start', ([start]) => formatIsoTime(Number(start))),
  ...RUN_METRICS.map((name) => makeColumn<Bucket>(`runs.${name}`, ([, { runs }]) => runs[name])),
  ...TEST_COUNTS.map((name) => makeColumn<Bucket>(`tests.${name}`, ([, { tests }]) => tests[name])),
];

export const buildTimelineFile = ({ results }: Insights): Content =>
  buildFile('insights', TIMELINE, Object.entries(results.timeline));
