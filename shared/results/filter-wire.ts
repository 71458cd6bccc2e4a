/** The query parameters of filters. */
import * as z from 'zod';
import { instant } from '#shared/engine/http/instant.ts';
import { aliases } from '#shared/engine/http/query.ts';
import { parseJson } from '#shared/engine/json.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { RecordedTestOutcome } from '#shared/model/results/outcomes.ts';
import { BranchFilter, makeBranchFilters, RecordedBranchFilter } from './branch-filter.ts';
import { RESULT_LIMITS } from './limits.ts';
import { CompletionStateName } from './runs/run-wire.ts';

const values = (description: string) =>
  z
    .array(z.string().min(1).max(MODEL_LIMITS.idCharacters))
    .max(RESULT_LIMITS.filterValues)
    .optional()
    .meta({ description });

export const runsFilterQuery = {
  branches: makeBranchFilters(RecordedBranchFilter),
  tags: values('All of these tags; with `tag_operator=OR` any of them').register(aliases, { deprecated: ['tag'] }),
  tag_operator: z.enum(['AND', 'OR']).default('AND').meta({ description: 'How `tags[]` are combined' }),
  search: z.string().min(1).max(RESULT_LIMITS.searchCharacters).optional().meta({
    description:
      'Runs with these words in the CI build id or the commit message, in any order and ignoring case. Quotes join words, and `-word` excludes',
  }),
  pr_id: z
    .string()
    .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII')
    .max(RESULT_LIMITS.pullRequestIdCharacters)
    .optional()
    .meta({ description: 'Pull request number' }),
  authors: values('Any of these git authors, by name or email').register(aliases, { deprecated: ['author'] }),
  environments: values('Any of these environments'),
  status: z
    .array(z.enum(['PASSED', 'FAILED', 'RUNNING', 'FAILING']))
    .optional()
    .meta({ description: 'Any of these verdicts' }),
  completion_state: z.array(CompletionStateName).optional().meta({ description: 'Any of these completion states' }),
  date_start: instant.optional().meta({ description: 'Runs created at or after this time' }),
  date_end: instant.optional().meta({ description: 'Runs created before this time. Not before `date_start`' }),
};

export type RunsFilter = z.output<z.ZodObject<typeof runsFilterQuery>>;

const AnnotationFilter = z.array(
  z.object({ type: z.string(), description: z.union([z.string(), z.array(z.string())]).nullish() }),
);

/** A text that contains JSON. `problem` says what is wrong with any other text. */
export const jsonOf = <Schema extends z.ZodType>(schema: Schema, characters: number, problem: string) =>
  z
    .string()
    .max(characters)
    .transform((text, context) => {
      const result = schema.safeParse(parseJson(text));
      if (result.success) return result.data;
      context.addIssue(problem);
      return z.NEVER;
    });

export const annotationsFilter = jsonOf(
  AnnotationFilter,
  RESULT_LIMITS.annotationFilterCharacters,
  'must be a JSON array such as [{"type":"owner","description":"payments"}]',
)
  .optional()
  .meta({
    description: 'JSON array of {type, description?}; description is a string, an array of alternatives or null',
  });

export const filterQuery = {
  tags: values('Any of these tags').register(aliases, { deprecated: ['tag'] }),
  branches: makeBranchFilters(BranchFilter),
  authors: values('Any of these git authors, by name or email').register(aliases, { deprecated: ['git_author'] }),
  groups: values('Any of these groups').register(aliases, { deprecated: ['group'] }),
  environments: values('Any of these environments'),
  status: z.array(RecordedTestOutcome).optional().meta({ description: 'Any of these outcomes' }),
  flaky: z.boolean().optional().meta({ description: 'Only flaky, or only non-flaky executions' }),
  annotations: annotationsFilter,
};

export type TestResultsFilter = z.output<z.ZodObject<typeof filterQuery>>;
