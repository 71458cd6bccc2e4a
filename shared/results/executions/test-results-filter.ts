/** §4.1 Filters of the history. An execution must match every filter. One matching value of a filter is enough. */

import type { Annotation } from '#shared/model/results/attempt.ts';
import type { HistoryList, HistoryRow } from '#shared/model/results/history-row.ts';
import { hasAny } from '../any-of.ts';
import { matchesBranch } from '../branch-filter.ts';
import type { TestResultsFilter } from '../filter-wire.ts';

export function matchesAnnotations(
  filter: TestResultsFilter['annotations'],
  annotations: readonly Annotation[],
): boolean {
  if (filter === undefined || filter.length === 0) return true;
  return filter.some(({ type, description }) =>
    annotations.some(
      (annotation) =>
        annotation.type === type &&
        (description == null || [description].flat().some((text) => text === annotation.description)),
    ),
  );
}

export const matchesExecution = (filter: TestResultsFilter, row: HistoryRow): boolean =>
  hasAny(filter.tags, row.tags) &&
  (filter.branches === undefined || matchesBranch(filter.branches, row.branch)) &&
  hasAny(filter.authors, [row.authorName, row.authorEmail]) &&
  hasAny(filter.groups, [row.groupId]) &&
  hasAny(filter.environments, [row.environment]) &&
  (filter.status === undefined || filter.status.includes(row.outcome)) &&
  (filter.flaky === undefined || row.flaky === filter.flaky) &&
  matchesAnnotations(filter.annotations, row.annotations);

/** The list `notable` is shorter, but contains only executions that did not pass or were flaky. */
export function chooseList({ status, flaky }: TestResultsFilter): HistoryList {
  return flaky === true || (status !== undefined && !status.includes('passed')) ? 'notable' : 'all';
}

export const isUnfiltered = (filter: TestResultsFilter): boolean =>
  Object.values(filter).every((value) => value === undefined);
