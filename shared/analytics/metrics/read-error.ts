/** Reads all occurrences of one error. */

import { notFound, refuse } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { maskText } from '#shared/masking/masking.ts';
import type { AttemptError } from '#shared/model/results/attempt.ts';
import type { StoredError } from '../entry.ts';
import type { AnalyticsScope, Occurrence } from '../read-model.ts';
import { readOccurrences } from '../read-occurrences.ts';
import { toStoredError } from '../stored-error.ts';
import { buildErrorCluster, type ErrorCluster, type ErrorKeys } from './error-cluster.ts';
import { type RangeQuery, toAnalyticsFilter, toPeriod } from './range-wire.ts';

/** The query has the masked texts that lists show. Throws 404 if the error does not occur in the period. */
export async function readError(
  services: WithTable,
  { query, ...scope }: AnalyticsScope & { readonly query: RangeQuery & ErrorKeys },
): Promise<ErrorCluster> {
  const { message, target, action, category } = query;
  const period = toPeriod(query);
  const occurrences = await readOccurrences(services, scope, period, toAnalyticsFilter(query));
  const candidates = occurrences.filter((one) => one.action === action && one.category === category);
  const keys = { message, target, action, category };
  return buildErrorCluster(maskOccurrences(candidates), keys, period) ?? refuse(notFound('Error'));
}

/** Compares the error as lists show it, with masked secrets. */
export function hasErrorKeys(error: AttemptError, keys: ErrorKeys): boolean {
  const maskedError = toMaskedError(error);
  return [keys.message, keys.target, keys.action, keys.category].every((key, index) => key === maskedError[index]);
}

/** Masks each distinct text only once, because many occurrences have the same text. */
function maskOccurrences(occurrences: readonly Occurrence[]): Occurrence[] {
  const maskedTexts = new Map<string, string>();
  const mask = (text: string): string => {
    const result = maskedTexts.get(text) ?? maskText(text);
    maskedTexts.set(text, result);
    return result;
  };
  return occurrences.map((one) => ({
    ...one,
    message: mask(one.message),
    target: one.target === null ? null : mask(one.target),
  }));
}

/** The message, target, action and category as lists show them. */
export function toMaskedError(error: AttemptError): StoredError {
  const [message, target, action, category] = toStoredError(error);
  return [maskText(message), target === null ? null : maskText(target), action, category];
}
