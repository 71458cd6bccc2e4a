/** Reads all occurrences of one error. */

import { notFound, refuse } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { maskedText } from '#shared/masking/masking.ts';
import type { AttemptError } from '#shared/model/tests/attempt.ts';
import type { StoredError } from '../entry.ts';
import type { AnalyticsScope, Occurrence } from '../read-model.ts';
import { readOccurrences } from '../read-occurrences.ts';
import { storedErrorOf } from '../stored-error.ts';
import { type ErrorCluster, type ErrorKeys, errorCluster } from './error-cluster.ts';
import { filterOf, periodOf, type RangeQuery } from './range-wire.ts';

/**
 * The query must contain the texts of the error as lists show them, with masked secrets. Throws 404 if the error does
 * not occur in the period.
 */
export async function readError(
  services: WithTable,
  { query, ...scope }: AnalyticsScope & { readonly query: RangeQuery & ErrorKeys },
): Promise<ErrorCluster> {
  const { message, target, action, category } = query;
  const period = periodOf(query);
  const occurrences = await readOccurrences(services, scope, period, filterOf(query));
  const alike = occurrences.filter((one) => one.action === action && one.category === category);
  const keys = { message, target, action, category };
  return errorCluster(masked(alike), keys, period) ?? refuse(notFound('Error'));
}

/** Whether these keys identify the error in lists, where secrets are masked. */
export function isErrorOf(error: AttemptError, keys: ErrorKeys): boolean {
  const shown = shownErrorOf(error);
  return [keys.message, keys.target, keys.action, keys.category].every((key, index) => key === shown[index]);
}

/** Masks each distinct text only once, because many occurrences have the same text. */
function masked(occurrences: readonly Occurrence[]): Occurrence[] {
  const known = new Map<string, string>();
  const mask = (text: string): string => {
    const shown = known.get(text) ?? maskedText(text);
    known.set(text, shown);
    return shown;
  };
  return occurrences.map((one) => ({
    ...one,
    message: mask(one.message),
    target: one.target === null ? null : mask(one.target),
  }));
}

/** The message, target, action and category of an error as lists show them, with masked secrets. */
export function shownErrorOf(error: AttemptError): StoredError {
  const [message, target, action, category] = storedErrorOf(error);
  return [maskedText(message), target === null ? null : maskedText(target), action, category];
}
