/** §4.1 Filters of the history. An execution must match every filter. One matching value of a filter is enough. */

import type { Condition } from '#shared/engine/table/update.ts';
import type { Annotation } from '#shared/model/results/attempt.ts';
import { HISTORY_ATTRIBUTES, type HistoryList, type HistoryRow } from '#shared/model/results/history-row.ts';
import { hasAny } from '../any-of.ts';
import { matchesBranch, toBranchCondition } from '../branch-filter.ts';
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

/**
 * What the database can say of a matching execution, so that it does not return the others. Each execution that
 * `matchesExecution` accepts meets it.
 */
export function toExecutionCondition(filter: TestResultsFilter): Condition | undefined {
  const { outcome, flaky, annotations, tags, branch, authorName, authorEmail, groupId, environment } =
    HISTORY_ATTRIBUTES;
  const conditions = [
    requireAny(filter.tags, (tag) => ({ path: tags, contains: tag })),
    filter.branches && toBranchCondition(filter.branches, branch),
    requireAny(filter.authors, (author) => ({
      any: [authorName, authorEmail].map((path) => ({ path, equals: author })),
    })),
    requireAny(filter.groups, (group) => ({ path: groupId, equals: group })),
    requireAny(filter.environments, (name) => ({ path: environment, equals: name })),
    requireAny(filter.status, (status) => ({ path: outcome, equals: status })),
    filter.flaky === undefined ? undefined : requireFlaky(filter.flaky, flaky),
    requireAny(filter.annotations, () => ({ present: annotations })),
  ].filter((condition) => condition !== undefined);
  return conditions.length > 0 ? { all: conditions } : undefined;
}

const requireFlaky = (isFlaky: boolean, path: string): Condition => (isFlaky ? { present: path } : { absent: path });

/** DynamoDB refuses an empty list of alternatives. */
function requireAny<Value>(
  values: readonly Value[] | undefined,
  toCondition: (value: Value) => Condition,
): Condition | undefined {
  if (values === undefined || values.length === 0) return undefined;
  return { any: [...new Set(values)].map(toCondition) };
}

/** The list `notable` is shorter, but contains only executions that did not pass or were flaky. */
export function chooseList({ status, flaky }: TestResultsFilter): HistoryList {
  return flaky === true || (status !== undefined && !status.includes('passed')) ? 'notable' : 'all';
}

export const isUnfiltered = (filter: TestResultsFilter): boolean =>
  Object.values(filter).every((value) => value === undefined);
