/** §4.4.5 The schemas of the query parameters and of the response rows of `GET /tests/{projectId}`. */
import * as z from 'zod';
import { aliases } from '#shared/engine/http/query.ts';
import { RecordedTestOutcome } from '#shared/model/results/outcomes.ts';
import { annotationsFilter, jsonOf } from '#shared/results/filter-wire.ts';
import { METRIC_LIMITS } from './limits.ts';
import { direction, format, offsetPageOf, pageQuery, searchParameter } from './page-wire.ts';
import { rangeQuery } from './range-wire.ts';

const ALL = RecordedTestOutcome.options;
const outcomes = (byDefault: RecordedTestOutcome[]) => z.array(RecordedTestOutcome).min(1).default(byDefault);

/** For each metric, the test outcomes that it counts. */
const MetricSettings = z.strictObject({
  executions: outcomes(ALL),
  // Pending and skipped tests did not run, so their durations are not meaningful.
  avgDuration: outcomes(['passed', 'failed']),
  flakinessRate: outcomes(ALL),
  failureRate: outcomes(['failed', 'skipped']),
});
export type MetricSettings = z.output<typeof MetricSettings>;

const metricSettings = jsonOf(
  MetricSettings,
  METRIC_LIMITS.metricSettingsCharacters,
  `must be a JSON object with lists of outcomes, such as {"failureRate":["failed"]}. Names: ${Object.keys(MetricSettings.shape).join(', ')}. Outcomes: ${RecordedTestOutcome.options.join(', ')}`,
)
  .default(MetricSettings.parse({}))
  .meta({ description: 'JSON object: the outcomes that count in each metric' });

export const TestOrder = z.enum([
  'title',
  'failures',
  'passes',
  'flakiness',
  'executions',
  'duration',
  'flakinessXSamples',
  'failRateXSamples',
  'durationXSamples',
  'flakinessRateDelta',
  'failureRateDelta',
  'durationDelta',
]);
export type TestOrder = z.infer<typeof TestOrder>;

const ORDER =
  'Metric to sort by. `XSamples`: multiplied by the number of executions. `Delta`: the change since the preceding period of equal length';

export const testsQuery = {
  ...rangeQuery,
  ...pageQuery(METRIC_LIMITS.page),
  spec: searchParameter('tests whose spec file contains this text'),
  title: searchParameter('titles')
    .meta({
      description:
        'Only tests whose title contains these words, in any order. Quotes join words, and `-word` excludes. Case-insensitive. Not together with its alias `test`',
    })
    .register(aliases, { deprecated: ['test'] }),
  order: TestOrder.default('title').meta({ description: ORDER }),
  dir: direction,
  format,
  min_executions: z
    .int()
    .min(0)
    .max(METRIC_LIMITS.minimumExecutions)
    .default(0)
    .meta({ description: 'Only tests with at least this many executions' }),
  test_state: z
    .array(RecordedTestOutcome)
    .default([])
    .meta({ description: 'Only executions with any of these outcomes count' }),
  metric_settings: metricSettings,
  annotations: annotationsFilter,
};

export type TestsQuery = z.output<z.ZodObject<typeof testsQuery>>;

/** The default values of all parameters except the date range. */
export const DEFAULT_OPTIONS = z.object(testsQuery).omit({ date_start: true, date_end: true }).parse({});

const delta = (change: string) =>
  z
    .number()
    .nullable()
    .optional()
    .meta({
      description: `${change} since the preceding period. Present only when sorting by a change, and null without earlier executions`,
    });
const rate = z.number().min(0).max(1);

const TestMetrics = z
  .object({
    executions: z.int(),
    passes: z.int(),
    failures: z.int().meta({ description: 'Failed and skipped executions' }),
    ignored: z.int().meta({ description: 'Pending executions' }),
    flaky: z.int(),
    failureRate: rate,
    flakinessRate: rate,
    avgDurationMs: z.int(),
    avgDuration: z.int().meta({ description: 'Equal to `avgDurationMs`' }),
    failureVolume: z.number(),
    flakinessVolume: z.number(),
    durationVolume: z.number(),
    failureRateDelta: delta('Change of the failure rate'),
    flakinessRateDelta: delta('Change of the flakiness rate'),
    durationDelta: delta('Change of the duration in milliseconds'),
  })
  .meta({ id: 'TestMetrics' });

export const TestSummary = z
  .object({
    title: z.string().meta({ description: 'The segments of the title, joined by ` > `' }),
    titlePath: z.array(z.string()),
    signature: z.string(),
    spec: z.string(),
    metrics: TestMetrics,
    latestTag: z.array(z.string()).nullable().meta({ description: 'The tags of the latest execution' }),
    lastSeen: z
      .string()
      .nullable()
      .meta({ format: 'date-time', description: 'When the latest run of the test was created' }),
  })
  .meta({ id: 'TestRow' });
export type TestSummary = z.infer<typeof TestSummary>;

export const TestsList = z.object({
  ...offsetPageOf(TestSummary),
  count: z.int().meta({ description: 'Equal to `total`' }),
});
