/**
 * Filters of the runs list. A run must match every filter, by any of its values. `tags[]` need all values by default.
 */
import * as z from 'zod';
import { instant } from '#shared/engine/http/pagination.ts';
import { aliases } from '#shared/engine/http/query.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Run } from '#shared/model/run.ts';
import { branches, matchesBranch, RecordedBranchFilter } from './branch-filter.ts';
import { RESULT_LIMITS } from './limits.ts';

const values = (description: string) =>
  z
    .array(z.string().min(1).max(MODEL_LIMITS.idCharacters))
    .max(RESULT_LIMITS.filterValues)
    .optional()
    .meta({ description });

export const runsFilterQuery = {
  branches: branches(RecordedBranchFilter),
  tags: values('All of these tags; with `tag_operator=OR` any of them').register(aliases, { deprecated: ['tag'] }),
  tag_operator: z.enum(['AND', 'OR']).default('AND').meta({ description: 'How `tags[]` are combined' }),
  search: z
    .string()
    .min(1)
    .max(RESULT_LIMITS.searchCharacters)
    .optional()
    .meta({ description: 'Part of the CI build id or of the commit message, in any case' }),
  pr_id: z
    .string()
    .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII')
    .max(RESULT_LIMITS.pullRequestIdCharacters)
    .optional()
    .meta({ description: 'Pull request number' }),
  authors: values('Any of these git authors, by name or e-mail').register(aliases, { deprecated: ['author'] }),
  environments: values('Any of these environments'),
  status: z
    .array(z.enum(['PASSED', 'FAILED', 'RUNNING', 'FAILING']))
    .optional()
    .meta({ description: 'Any of these verdicts' }),
  completion_state: z
    .array(z.enum(['COMPLETE', 'IN_PROGRESS', 'CANCELED', 'TIMEOUT']))
    .optional()
    .meta({ description: 'Any of these completion states' }),
  date_start: instant.optional().meta({ description: 'Created at or after' }),
  date_end: instant.optional().meta({ description: 'Created before. Not before `date_start`' }),
};

const Filter = z.object(runsFilterQuery);
export type RunsFilter = z.output<typeof Filter>;

const anyOf = (wanted: readonly string[] | undefined, has: readonly (string | null)[]): boolean =>
  wanted === undefined || has.some((value) => value !== null && wanted.includes(value));

function hasTags(
  wanted: readonly string[] | undefined,
  operator: 'AND' | 'OR',
  run: Pick<Run, 'tags' | 'groupTags'>,
): boolean {
  const has = [...run.tags, ...run.groupTags];
  return wanted === undefined || (operator === 'OR' ? anyOf(wanted, has) : wanted.every((tag) => has.includes(tag)));
}

export const matchesRun = (filter: RunsFilter, run: Run): boolean =>
  (filter.branches === undefined || matchesBranch(filter.branches, run.commit.branch)) &&
  hasTags(filter.tags, filter.tag_operator, run) &&
  (filter.search === undefined ||
    [run.ciBuildId, run.commit.message ?? ''].some((text) => contains(text, filter.search ?? ''))) &&
  (filter.pr_id === undefined || run.pullRequest?.id === filter.pr_id) &&
  anyOf(filter.authors, [run.commit.authorName, run.commit.authorEmail]) &&
  anyOf(filter.environments, run.environments) &&
  anyOf(filter.status, [run.status]) &&
  anyOf(filter.completion_state, [run.completionState]);

const contains = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());
