/** §4.1 Filters of the history. An execution must match every filter, by any of its values. */
import * as z from 'zod';
import { aliases } from '#shared/engine/http/query.ts';
import type { HistoryList, HistoryRow } from '#shared/model/history-row.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { RecordedTestOutcome } from '#shared/model/outcomes.ts';
import { BranchFilter, branches, matchesBranch } from './branch-filter.ts';
import { RESULT_LIMITS } from './limits.ts';

const values = (description: string) =>
  z
    .array(z.string().min(1).max(MODEL_LIMITS.idCharacters))
    .max(RESULT_LIMITS.filterValues)
    .optional()
    .meta({ description });

const AnnotationFilter = z.array(
  z.object({ type: z.string(), description: z.union([z.string(), z.array(z.string())]).nullish() }),
);

const annotations = z
  .string()
  .max(RESULT_LIMITS.annotationFilterCharacters)
  .transform((text, context) => {
    const parsed = AnnotationFilter.safeParse(parse(text));
    if (parsed.success) return parsed.data;
    context.addIssue('must be a JSON array such as [{"type":"owner","description":"payments"}]');
    return z.NEVER;
  })
  .optional()
  .meta({
    description: 'JSON array of {type, description?}; description is a string, an array of alternatives or null',
  });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const filterQuery = {
  tags: values('Any of these tags').register(aliases, { deprecated: ['tag'] }),
  branches: branches(BranchFilter),
  authors: values('Any of these git authors, by name or e-mail').register(aliases, { deprecated: ['git_author'] }),
  groups: values('Any of these groups').register(aliases, { deprecated: ['group'] }),
  environments: values('Any of these environments'),
  status: z.array(RecordedTestOutcome).optional().meta({ description: 'Any of these outcomes' }),
  flaky: z.boolean().optional().meta({ description: 'Only flaky, or only non-flaky executions' }),
  annotations,
};

const Filter = z.object(filterQuery);
export type TestResultsFilter = z.output<typeof Filter>;

const anyOf = (wanted: readonly string[] | undefined, has: readonly (string | null)[]): boolean =>
  wanted === undefined || has.some((value) => value !== null && wanted.includes(value));

/** One matching annotation is enough. */
function matchesAnnotations(filter: TestResultsFilter['annotations'], row: HistoryRow): boolean {
  if (filter === undefined || filter.length === 0) return true;
  return filter.some(({ type, description }) =>
    row.annotations.some(
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
  matchesAnnotations(filter.annotations, row);

/** Chooses the shorter list if it contains every possible match. */
export function listFor({ status, flaky }: TestResultsFilter): HistoryList {
  return flaky === true || (status !== undefined && !status.includes('passed')) ? 'notable' : 'all';
}

export const isUnfiltered = (filter: TestResultsFilter): boolean =>
  Object.values(filter).every((value) => value === undefined);
