/** The filters of analytics queries. */
import { anyOf, hasTags } from '#shared/results/any-of.ts';
import { matchesBranch } from '#shared/results/branch-filter.ts';
import type { PendingEntry } from './entry.ts';
import type { AnalyticsFilter } from './read-model.ts';

const unlessEmpty = (wanted: readonly string[]): readonly string[] | undefined =>
  wanted.length === 0 ? undefined : wanted;

export const isUnfilteredAnalytics = ({ tags, branches, groups, authors, environments }: AnalyticsFilter): boolean =>
  [tags, branches, groups, authors, environments].every((wanted) => wanted.length === 0);

/**
 * Whether a group of a run matches all filters except the tag filter, which may also match single tests of the group.
 */
export const matchesEntry = (
  filter: AnalyticsFilter,
  entry: Pick<PendingEntry, 'branch' | 'groupId' | 'authorName' | 'authorEmail' | 'environment'>,
): boolean =>
  (filter.branches.length === 0 || matchesBranch(filter.branches, entry.branch)) &&
  anyOf(unlessEmpty(filter.groups), [entry.groupId]) &&
  anyOf(unlessEmpty(filter.authors), [entry.authorName, entry.authorEmail]) &&
  anyOf(unlessEmpty(filter.environments), [entry.environment]);

export const matchesTags = ({ tags, tagOperator }: AnalyticsFilter, has: readonly string[]): boolean =>
  hasTags(unlessEmpty(tags), tagOperator, has);
