/** §4.4.5 The schemas of the query parameters and of the response of `GET /projects/{projectId}/insights`. */
import * as z from 'zod';
import { dateTime } from '#shared/engine/http/date-time.ts';
import { METRIC_LIMITS } from './limits.ts';
import { format } from './page-wire.ts';
import { environmentsQuery, rangeQuery } from './range-wire.ts';

export const insightsQuery = {
  ...rangeQuery,
  ...environmentsQuery,
  format,
  resolution: z
    .enum(['1h', '1d', '1w'])
    .default('1d')
    .meta({
      description: `The buckets of the timeline, in UTC; weeks begin on Monday. \`1h\`: at most ${METRIC_LIMITS.hourlyRangeDays} days`,
    }),
};

export type InsightsQuery = z.output<z.ZodObject<typeof insightsQuery>>;

const RunMetric = z
  .object({
    total: z.int().meta({ description: 'All runs, including those in progress' }),
    completed: z.int(),
    cancelled: z.int(),
    timeouts: z.int(),
    failed: z.int().meta({ description: 'Complete and timed-out runs with a failure' }),
    passed: z.int().meta({ description: 'Complete runs without a failure' }),
    avgDurationSeconds: z.number().meta({ description: 'Average of complete runs with a known duration' }),
  })
  .meta({ id: 'RunMetric' });

const TestMetric = z
  .object({
    total: z.int(),
    failed: z.int(),
    passed: z.int(),
    pending: z.int(),
    skipped: z.int(),
    flaky: z.int().meta({ description: 'Flaky tests, which also count under their final outcome' }),
  })
  .meta({ id: 'TestMetric' });

const Metrics = z.object({
  runs: RunMetric,
  tests: TestMetric,
  incomplete: z.int().meta({ description: 'Spec files whose stored results are damaged. Their tests do not count' }),
});
export type InsightMetrics = z.infer<typeof Metrics>;

const texts = z.array(z.string());

export const Insights = z
  .object({
    projectId: z.string(),
    orgId: z.string(),
    dateStart: dateTime,
    dateEnd: dateTime,
    resolution: z.string(),
    tags: texts,
    authors: texts,
    branches: texts,
    groups: texts,
    environments: texts,
    results: z.object({
      overall: Metrics,
      timeline: z
        .record(z.string(), Metrics)
        .meta({ description: 'Keyed by the start of each bucket, in milliseconds since the epoch' }),
    }),
  })
  .meta({ id: 'Insights' });
export type Insights = z.infer<typeof Insights>;
