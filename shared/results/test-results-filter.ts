/** §4.1 Filters of the history. An execution must match every filter. One matching value of a filter is enough. */

import type { Annotation } from '#shared/model/tests/attempt.ts';
import type { HistoryList, HistoryRow } from '#shared/model/tests/history-row.ts';
import { anyOf } from './any-of.ts';
import { matchesBranch } from './branch-filter.ts';
import type { TestResultsFilter } from './filter-wire.ts';

/** Whether the annotations match the filter. One matching annotation is enough. */
export function matchesAnnotations(
  filter: TestResultsFilter['annotations'],
  annotations: readonly Annotation[],
): boolean {
  if (filter === undefined || filter.length === 0) return true;
  return filter.some(({ type, description }) =>
    annotations.some(
      (annotation) =>
        annotation.type === type &&
        (description == null || [description].flat().some((wanted) => wanted === annotation.description)),
    ),
  );
}

export const matches = (filter: TestResultsFilter, row: HistoryRow): boolean =>
  anyOf(filter.tags, row.tags) &&
  (filter.branches === undefined || matchesBranch(filter.branches, row.branch)) &&
  anyOf(filter.authors, [row.authorName, row.authorEmail]) &&
  anyOf(filter.groups, [row.groupId]) &&
  anyOf(filter.environments, [row.environment]) &&
  (filter.status === undefined || filter.status.includes(row.outcome)) &&
  (filter.flaky === undefined || row.flaky === filter.flaky) &&
  matchesAnnotations(filter.annotations, row.annotations);

/**
 * Chooses the list to read. The list `notable` is shorter, but contains only executions that did not pass or were
 * flaky.
 */
export function listFor({ status, flaky }: TestResultsFilter): HistoryList {
  return flaky === true || (status !== undefined && !status.includes('passed')) ? 'notable' : 'all';
}

export const isUnfiltered = (filter: TestResultsFilter): boolean =>
  Object.values(filter).every((value) => value === undefined);
