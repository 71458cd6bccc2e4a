/** §4.4.5 The schemas of the query parameters and of the response rows of `GET /errors/{projectId}`. */
import * as z from 'zod';
import { dateTime } from '#shared/engine/http/date-time.ts';
import { METRIC_LIMITS } from './limits.ts';
import { direction, format, offsetPageOf, pageQuery, searched } from './page-wire.ts';
import { rangeQuery } from './range-wire.ts';

export const ErrorKey = z.enum(['message', 'target', 'action', 'category']);
export type ErrorKey = z.infer<typeof ErrorKey>;

const { timelineKeys } = METRIC_LIMITS;

export const errorsQuery = {
  ...rangeQuery,
  ...pageQuery(METRIC_LIMITS.errorsPage),
  tags_logical_operator: z.enum(['OR', 'AND']).default('OR').meta({ description: 'How `tags[]` are combined' }),
  error_target: searched('errors whose target contains this text'),
  error_message: searched('errors whose message contains this text'),
  error_action: searched('errors whose action contains this text'),
  error_category: searched('errors of this category'),
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

export const ErrorRow = z
  .object({
    ...keys,
    count: z.int().meta({ description: 'Failed and flaky executions with this error' }),
    tests: z.int().meta({ description: 'Distinct tests' }),
    branches: z.int().meta({ description: 'Distinct branches. All runs without a branch count as one branch' }),
    firstSeen: dateTime,
    lastSeen: dateTime,
  })
  .meta({ id: 'ErrorRow' });
export type ErrorRow = z.infer<typeof ErrorRow>;

export const ErrorsList = z.object({
  ...offsetPageOf(ErrorRow),
  timeline: z
    .record(z.string(), z.array(z.object({ ...keys, value: z.int() })))
    .meta({ description: 'Keyed by the start of each UTC day, in milliseconds since the epoch' }),
});
export type ErrorsTimeline = z.infer<typeof ErrorsList>['timeline'];
