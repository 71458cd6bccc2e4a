/** A run must match every filter. One value of a filter is enough, except that by default all `tags[]` must match. */

import type { Run } from '#shared/model/runs/run.ts';
import { hasAny, hasTags } from '../any-of.ts';
import { matchesBranch } from '../branch-filter.ts';
import { contains } from '../contains.ts';
import type { RunsFilter } from '../filter-wire.ts';

export const matchesRun = (filter: RunsFilter, run: Run): boolean =>
  (filter.branches === undefined || matchesBranch(filter.branches, run.commit.branch)) &&
  hasTags(filter.tags, filter.tag_operator, [...run.tags, ...run.groupTags]) &&
  (filter.search === undefined || contains(`${run.ciBuildId}\n${run.commit.message ?? ''}`, filter.search)) &&
  (filter.pr_id === undefined || run.pullRequest?.id === filter.pr_id) &&
  hasAny(filter.authors, [run.commit.authorName, run.commit.authorEmail]) &&
  hasAny(filter.environments, run.environments) &&
  hasAny(filter.status, [run.status]) &&
  hasAny(filter.completion_state, [run.completionState]);
