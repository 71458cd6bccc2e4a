/** The query parameters that select the runs of an analytics query. */
import * as z from 'zod';
import { invalidRequest } from '#shared/engine/errors.ts';
import { instant, refuseEmptyRange } from '#shared/engine/http/instant.ts';
import { DAY_MILLISECONDS } from '#shared/engine/time.ts';
import { RecordedBranchFilter } from '#shared/results/branch-filter.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { ANALYTICS_LIMITS } from '../limits.ts';
import type { AnalyticsFilter, Period } from '../read-model.ts';
import { METRIC_LIMITS } from './limits.ts';

const values = z.array(z.string().min(1).max(METRIC_LIMITS.filterCharacters)).max(RESULT_LIMITS.filterValues);

const listParameter = (what: string) => values.default([]).meta({ description: `Any of these ${what}` });

/** §4.4.5 The parameters that select runs by creation time and other properties. */
export const rangeQuery = {
  date_start: instant.meta({ description: 'Runs created at or after this time' }),
  date_end: instant.meta({
    description: `Runs created before this time. It must not precede \`date_start\` or be more than ${ANALYTICS_LIMITS.days} days after it`,
  }),
  tags: listParameter('tags of runs, groups and tests'),
  branches: values
    .pipe(z.array(RecordedBranchFilter))
    .default([])
    .meta({ description: 'Any of these branch names, or prefixes with a trailing `*`' }),
  groups: listParameter('groups'),
  authors: listParameter('git authors, by name or email'),
};

export const environmentsQuery = { environments: listParameter('environments') };

export type RangeQuery = z.output<z.ZodObject<typeof rangeQuery>>;

/** Refuses a range that ends before it starts, and a range that is too long for one query. */
export function toPeriod(
  { date_start: from, date_end: to }: Pick<RangeQuery, 'date_start' | 'date_end'>,
  { days, unless = '' }: { readonly days: number; readonly unless?: string } = { days: ANALYTICS_LIMITS.days },
): Period {
  refuseEmptyRange(from, to);
  if (to - from > days * DAY_MILLISECONDS)
    throw invalidRequest(
      `The range from \`date_start\` to \`date_end\` is longer than ${days} days. Shorten it${unless}`,
    );
  return { from, to };
}

/** The period of equal length before this one. */
export const getPrecedingPeriod = ({ from, to }: Period): Period => ({ from: 2 * from - to, to: from });

export const toAnalyticsFilter = (
  { tags, branches, groups, authors, environments = [] }: RangeQuery & { readonly environments?: readonly string[] },
  tagOperator: AnalyticsFilter['tagOperator'] = 'OR',
): AnalyticsFilter => ({ tags, tagOperator, branches, groups, authors, environments });
