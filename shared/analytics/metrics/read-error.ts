/** Reads all occurrences of one error. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import type { CoreServices } from '#shared/services.ts';
import type { AnalyticsScope } from '../read-model.ts';
import { readOccurrences } from '../read-occurrences.ts';
import { type ErrorCluster, type ErrorKeys, errorCluster } from './error-cluster.ts';
import { filterOf, periodOf, type RangeQuery } from './range-wire.ts';

/** Throws 404 for an error that does not occur in the period. */
export async function readError(
  services: Pick<CoreServices, 'table'>,
  { query, ...scope }: AnalyticsScope & { readonly query: RangeQuery & ErrorKeys },
): Promise<ErrorCluster> {
  const { message, target, action, category } = query;
  const period = periodOf(query);
  const occurrences = await readOccurrences(services, scope, period, filterOf(query));
  return errorCluster(occurrences, { message, target, action, category }, period) ?? refuse(notFound('Error'));
}
