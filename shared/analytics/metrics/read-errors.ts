/** §4.4 Reads a page of the errors, with their timeline. */
import type * as z from 'zod';
import type { CoreServices } from '#shared/services.ts';
import type { AnalyticsScope } from '../read-model.ts';
import { readOccurrences } from '../read-occurrences.ts';
import type { ErrorsPage, ErrorsQuery } from './errors-wire.ts';
import { listErrors } from './list-errors.ts';
import { offsetPage } from './offset-page.ts';
import { filterOf, periodOf } from './range-wire.ts';

export async function readErrors(
  services: Pick<CoreServices, 'table'>,
  { query, ...scope }: AnalyticsScope & { readonly query: ErrorsQuery },
): Promise<z.infer<typeof ErrorsPage>> {
  const period = periodOf(query);
  const filter = filterOf(query, query.tags_logical_operator);
  const { rows, timeline } = listErrors(await readOccurrences(services, scope, period, filter), period, query);
  return { ...offsetPage(rows, query), timeline };
}
