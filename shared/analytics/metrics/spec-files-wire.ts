/** §4.4.5 The schemas of the query parameters and of the response rows of `GET /spec-files/{projectId}`. */
import * as z from 'zod';
import { METRIC_LIMITS } from './limits.ts';
import { direction, format, offsetPageOf, pageQuery, searchParameter } from './page-wire.ts';
import { rangeQuery } from './range-wire.ts';

export const SpecOrder = z.enum([
  'avgDuration',
  'failedExecutions',
  'failureRate',
  'flakeRate',
  'flakyExecutions',
  'fullyReported',
  'overallExecutions',
  'suiteSize',
  'timeoutExecutions',
  'timeoutRate',
]);

export const specFilesQuery = {
  ...rangeQuery,
  ...pageQuery(METRIC_LIMITS.page),
  includeFailedInDuration: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether executions with failures count in `avgDuration`' }),
  specNameFilter: searchParameter('spec files whose path contains this text'),
  order: SpecOrder.default('avgDuration').meta({ description: 'The metric to sort by' }),
  dir: direction,
  format,
};

export type SpecFilesQuery = z.output<z.ZodObject<typeof specFilesQuery>>;

const rate = z.number().min(0).max(1);

export const SpecFileRow = z
  .object({
    signature: z.string(),
    spec: z.string(),
    metrics: z
      .object({
        overallExecutions: z.int(),
        avgDuration: z.int().meta({
          description:
            'Average time in milliseconds in which the tests of the file ran. At most 5 minutes of each pause between them count',
        }),
        failedExecutions: z.int().meta({ description: 'Executions with a failed or skipped test' }),
        flakyExecutions: z.int().meta({ description: 'Executions with a flaky test' }),
        timeoutExecutions: z.int().meta({ description: 'Executions cut off by a timeout or cancellation of the run' }),
        suiteSize: z.int().meta({ description: 'Largest number of tests in one fully reported execution' }),
        fullyReported: z.int().meta({ description: 'Executions in which all expected tests reported' }),
        failureRate: rate,
        timeoutRate: rate,
        flakeRate: rate,
      })
      .meta({ id: 'SpecFileMetrics' }),
  })
  .meta({ id: 'SpecFileRow' });
export type SpecFileRow = z.infer<typeof SpecFileRow>;

export const SpecFilesList = z.object(offsetPageOf(SpecFileRow));
