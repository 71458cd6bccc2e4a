/**
 * Filters of the runs list. A run must match every filter. One matching value of a filter is enough, except that by
 * default a run must have all values of `tags[]`.
 */

import type { Run } from '#shared/model/runs/run.ts';
import { anyOf, hasTags } from './any-of.ts';
import { matchesBranch } from './branch-filter.ts';
import { contains } from './contains.ts';
import type { RunsFilter } from './filter-wire.ts';

export const matchesRun = (filter: RunsFilter, run: Run): boolean =>
  (filter.branches === undefined || matchesBranch(filter.branches, run.commit.branch)) &&
  hasTags(filter.tags, filter.tag_operator, [...run.tags, ...run.groupTags]) &&
  (filter.search === undefined ||
    [run.ciBuildId, run.commit.message ?? ''].some((text) => contains(text, filter.search ?? ''))) &&
  (filter.pr_id === undefined || run.pullRequest?.id === filter.pr_id) &&
  anyOf(filter.authors, [run.commit.authorName, run.commit.authorEmail]) &&
  anyOf(filter.environments, run.environments) &&
  anyOf(filter.status, [run.status]) &&
  anyOf(filter.completion_state, [run.completionState]);
