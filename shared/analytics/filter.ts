/** The filters of analytics queries. */
import { hasAny, hasTags } from '#shared/results/any-of.ts';
import { matchesBranch } from '#shared/results/branch-filter.ts';
import type { PendingEntry } from './entry.ts';
import type { AnalyticsFilter } from './read-model.ts';

const omitIfEmpty = (values: readonly string[]): readonly string[] | undefined =>
  values.length === 0 ? undefined : values;

export const isUnfilteredAnalytics = ({ tags, branches, groups, authors, environments }: AnalyticsFilter): boolean =>
  [tags, branches, groups, authors, environments].every((values) => values.length === 0);

/** Ignores the tag filter, which may also match single tests of the group. */
export const isMatchingEntry = (
  filter: AnalyticsFilter,
  entry: Pick<PendingEntry, 'branch' | 'groupId' | 'authorName' | 'authorEmail' | 'environment'>,
): boolean =>
  (filter.branches.length === 0 || matchesBranch(filter.branches, entry.branch)) &&
  hasAny(omitIfEmpty(filter.groups), [entry.groupId]) &&
  hasAny(omitIfEmpty(filter.authors), [entry.authorName, entry.authorEmail]) &&
  hasAny(omitIfEmpty(filter.environments), [entry.environment]);

export const hasMatchingTags = ({ tags, tagOperator }: AnalyticsFilter, has: readonly string[]): boolean =>
  hasTags(omitIfEmpty(tags), tagOperator, has);
