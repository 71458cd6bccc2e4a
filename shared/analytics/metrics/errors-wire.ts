/** §4.4.5 The schemas of the query parameters and of the response rows of `GET /errors/{projectId}`. */
import * as z from 'zod';
import { dateTime } from '#shared/engine/http/date-time.ts';
import { METRIC_LIMITS } from './limits.ts';
import { direction, format, offsetPageOf, pageQuery, searchParameter } from './page-wire.ts';
import { rangeQuery } from './range-wire.ts';

export const ErrorKey = z.enum(['message', 'target', 'action', 'category']);
export type ErrorKey = z.infer<typeof ErrorKey>;

const { timelineKeys } = METRIC_LIMITS;

export const errorsQuery = {
  ...rangeQuery,
  ...pageQuery(METRIC_LIMITS.errorsPage),
  tags_logical_operator: z.enum(['OR', 'AND']).default('OR').meta({ description: 'How `tags[]` are combined' }),
  error_target: searchParameter('errors whose target contains this text'),
  error_message: z.string().min(1).max(METRIC_LIMITS.errorTextCharacters).optional().meta({
    description:
      'Only errors whose message contains this text. Case-insensitive. Messages are the first lines of errors, with `<n>`, `<id>`, `<url>`, `<path>` and `<text>` in place of what varies. A text that is copied from an error is compared in the same form',
  }),
  error_action: searchParameter('errors whose action contains this text'),
  error_category: searchParameter('errors of this category'),
  order_by: z.enum(['count', 'tests', 'branches', 'error']).default('count').meta({
    description: '`error` sorts by the first value of `group_by[]`',
  }),
  dir: direction,
  format,
  group_by: z
    .array(ErrorKey)
    .min(1)
    .max(ErrorKey.options.length)
    .default([...ErrorKey.options])
    .meta({ description: 'The values that identify a row, in this order. Errors without the first one are left out' }),
  metric: z
    .enum(['occurrence', 'test', 'branch'])
    .default('occurrence')
    .meta({ description: 'What the timeline counts' }),
  top_n: z
    .int()
    .min(timelineKeys.minimum)
    .max(timelineKeys.maximum)
    .default(timelineKeys.default)
    .meta({ description: 'Number of rows that the timeline shows: those with the highest counts' }),
};

export type ErrorsQuery = z.output<z.ZodObject<typeof errorsQuery>>;

const text = z.string().nullable().optional();
const keys = { message: text, target: text, action: text, category: text };

const test = { signature: z.string(), spec: z.string(), title: z.array(z.string()) };

export const ErrorRow = z
  .object({
    ...keys,
    count: z.int().meta({ description: 'Failed and flaky executions with this error' }),
    tests: z.int().meta({ description: 'Distinct tests' }),
    branches: z.int().meta({ description: 'Distinct branches. All runs without a branch count as one branch' }),
    runs: z.int().meta({ description: 'Distinct runs' }),
    firstSeen: dateTime,
    lastSeen: dateTime,
    latest: z
      .object({
        ...test,
        runId: z.string(),
        instanceId: z.string().optional(),
        testId: z.string().optional(),
      })
      .meta({
        description:
          'The latest execution with this error. Without `instanceId` and `testId` if its results have expired or were deleted',
      }),
    latestRuns: z
      .array(z.string())
      .meta({ description: `The ids of up to ${METRIC_LIMITS.namedOfError} runs with this error, newest first` }),
    topTests: z
      .array(z.object({ ...test, count: z.int() }))
      .meta({ description: `Up to ${METRIC_LIMITS.namedOfError} tests with this error, most executions first` }),
  })
  .meta({ id: 'ErrorRow' });
export type ErrorRow = z.infer<typeof ErrorRow>;

export const ErrorsList = z.object({
  ...offsetPageOf(ErrorRow),
  note: z.string().optional().meta({
    description: 'How `error_message` was compared, if it was not compared as it was sent, or why it cannot match',
  }),
  timeline: z
    .record(z.string(), z.array(z.object({ ...keys, value: z.int() })))
    .meta({ description: 'Keyed by the start of each UTC day, in milliseconds since the epoch' }),
});
export type ErrorsTimeline = z.infer<typeof ErrorsList>['timeline'];
