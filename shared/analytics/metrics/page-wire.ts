/** §8 The query parameters and the envelope of offset pages. */
import * as z from 'zod';
import { csvFormat } from '#shared/engine/http/csv.ts';
import { suggestSmallerPage } from '#shared/engine/http/pagination.ts';
import { METRIC_LIMITS } from './limits.ts';

export const pageQuery = ({
  minimum,
  maximum,
  default: byDefault,
}: {
  readonly minimum: number;
  readonly maximum: number;
  readonly default: number;
}) => ({
  limit: z.int().min(minimum).max(maximum).default(byDefault).meta({ description: 'Rows per page' }),
  page: z.int().min(0).max(METRIC_LIMITS.lastPage).default(0).meta({ description: 'Page number, counted from 0' }),
});

export const format = csvFormat(
  `all rows, at most ${METRIC_LIMITS.csvRows}. \`x-total-count\` says how many there are`,
);

export const direction = z.enum(['asc', 'desc']).default('desc').meta({ description: 'Sort direction' });

export const searchParameter = (what: string) =>
  z
    .string()
    .min(1)
    .max(METRIC_LIMITS.searchCharacters)
    .optional()
    .meta({ description: `Only ${what}. Case-insensitive` });

export const offsetPageOf = <Row extends z.ZodType>(row: Row) => ({
  list: z.array(row),
  total: z.int().meta({ description: 'Number of rows on all pages' }),
  nextPage: z
    .union([z.int(), z.literal(false)])
    .meta({ description: 'The page to request next with the same `limit`, or `false`' }),
});

/** What was too large to send, and how to get a smaller response. */
export const describeSmallerAnswer = (query: { readonly format: 'json' | 'csv'; readonly limit: number }) =>
  query.format === 'json'
    ? suggestSmallerPage(query)
    : { what: 'The file', remedies: ['narrow the dates or the filters'] };
