/** The comparison of a run with an earlier one, as responses show it. */
import * as z from 'zod';
import { dateTime } from '#shared/engine/http/date-time.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { id } from '#shared/model/names.ts';
import { FailingSince } from '../executions/failing-since-wire.ts';
import { IssueMark } from '../failures/known-issue-wire.ts';
import { RESULT_LIMITS } from '../limits.ts';

const { page, marks, lookups } = RESULT_LIMITS.comparison;
const { flaky, causes } = RESULT_LIMITS;
const nullable = z.string().nullable();

export const Verdict = z.enum(['new', 'still_failing', 'failed', 'flaky', 'fixed', 'not_run']).meta({
  description: [
    '`new`: failed here, but not in the base.',
    '`still_failing`: failed in both.',
    '`failed`: failed here, and there is no base.',
    '`flaky`: failed and passed in the end.',
    '`fixed`: failed in the base and passed here.',
    '`not_run`: skipped because of another failure, or failed in the base and did not run here.',
  ].join(' '),
});
export type Verdict = z.infer<typeof Verdict>;

export const comparisonQuery = {
  base_run_id: id.optional().meta({
    description:
      'The run to compare with: any complete run of the project. Default: the last complete run of the default branch before this run, with the same groups',
  }),
  verdict: Verdict.optional().meta({ description: 'Only this section' }),
  cause: z
    .string()
    .max(causes.idCharacters)
    .optional()
    .meta({ description: 'Only tests with this cause, by the `id` in `causes` of the section' }),
  limit: z.int().min(page.minimum).max(page.maximum).default(page.default).meta({ description: 'Tests per section' }),
  page: z
    .int()
    .min(0)
    .max(MODEL_LIMITS.testsPerRun)
    .default(0)
    .meta({ description: 'Page number, counted from 0. Needs `verdict`' }),
};

export type ComparisonQuery = z.output<z.ZodObject<typeof comparisonQuery>>;

export const BaseRun = z
  .object({
    runId: z.string(),
    ciBuildId: z.string(),
    createdAt: dateTime,
    branch: nullable,
    sha: nullable,
    title: nullable.meta({ description: 'Subject line of the commit' }),
    status: z.enum(['FAILED', 'PASSED']),
  })
  .meta({ id: 'BaseRun' });

const ComparedTest = z
  .object({
    runId: z.string().meta({ description: 'This run, or the base for a test that is `pending` or has no result here' }),
    instanceId: z.string(),
    testId: z.string(),
    signature: z.string(),
    title: z.array(z.string()),
    spec: z.string(),
    groupId: z.string(),
    attempts: z.int().meta({ description: 'Number of attempts in `runId`, or in the base for `fixed`' }),
    error: nullable.meta({
      description:
        'The error in one line, with the expected and the received value if it names them. For `fixed`, the error in the base. Known secret formats are masked',
    }),
    cause: z
      .string()
      .optional()
      .meta({ description: 'The `id` of its cause in `causes` of the section. Absent for `fixed` and `not_run`' }),
    failingSince: FailingSince.optional().meta({
      description:
        'Since when the test has been failing on the default branch, up to this run. Absent if it passed in its last execution there, or did not run there. Only for `new`, `still_failing` and `failed`',
    }),
    knownFlaky: z
      .object({
        events: z.int().meta({ description: 'Flaky executions on all branches' }),
        isLowerBound: z.literal(true).optional().meta({ description: 'Present if `events` may be higher' }),
        lastEventAt: dateTime,
      })
      .optional()
      .meta({
        description: `Present if the test was flaky at least ${flaky.events} times in the ${flaky.days} days before this run. Of each test, the last ${flaky.executions} executions that did not pass or were flaky are read. Only for \`new\` and \`failed\``,
      }),
    knownIssues: z
      .array(IssueMark)
      .optional()
      .meta({ description: 'Issues in a tracker that are linked to this test. Absent if there are none' }),
  })
  .meta({ id: 'ComparedTest' });
export type ComparedTest = z.infer<typeof ComparedTest>;

export const FailureCause = z
  .object({
    id: z.string(),
    text: z.string().meta({ description: 'What the errors have in common, in words' }),
    tests: z.int(),
    files: z.int().meta({ description: 'Spec files' }),
    received: z.array(z.object({ value: z.string(), tests: z.int() })).meta({
      description: `Received values, the ${causes.values} most frequent ones. Values that are long are missing`,
    }),
    values: z.int().meta({ description: 'Number of different received values' }),
  })
  .meta({ id: 'FailureCause', description: 'What the errors of several tests of one run have in common' });
export type FailureCause = z.infer<typeof FailureCause>;

export const RunComparison = z
  .object({
    runId: z.string(),
    projectId: z.string(),
    base: BaseRun.nullable().meta({
      description: 'null if no complete run with the same groups precedes this one on the base branch',
    }),
    baseBranch: z.string().meta({ description: 'The default branch of the project' }),
    isWhole: z.boolean().meta({
      description: `false if the totals of some sections are lower bounds. Only the first ${marks} failed, skipped and flaky tests of a run are compared. Of the tests that failed in the base, ${lookups} are looked up`,
    }),
    sections: z.array(
      z.object({
        verdict: Verdict,
        total: z.int(),
        isLowerBound: z.literal(true).optional().meta({ description: 'Present if the total may be higher' }),
        causeCount: z
          .int()
          .optional()
          .meta({ description: 'Number of causes. Absent if it is not known, and for `fixed` and `not_run`' }),
        causes: z
          .array(FailureCause)
          .optional()
          .meta({
            description: `The ${causes.listed} causes with most tests`,
          }),
        tests: z.array(ComparedTest).meta({ description: 'A test of each cause first, then the others' }),
        nextPage: z
          .union([z.int(), z.literal(false)])
          .meta({ description: 'Send it as `page`, together with `verdict`' }),
      }),
    ),
  })
  .meta({ id: 'RunComparison' });
export type RunComparison = z.infer<typeof RunComparison>;
